// SPDX-License-Identifier: Apache-2.0
internal import Storage

enum OfflineSchema {
    /// Creates the table of the rules for offline sign-in, and the table of the issued leases.
    static let migrations = [
        Migration(
            "offline",
            [
                """
                CREATE TABLE offlineRules (
                    tenant TEXT NOT NULL PRIMARY KEY REFERENCES tenant (id), credentials TEXT NOT NULL,
                    wallSeconds BIGINT NOT NULL, poweredSeconds BIGINT NOT NULL, boots BIGINT NOT NULL,
                    attempts BIGINT NOT NULL)
                """,
                """
                CREATE TABLE offlineLease (
                    tenant TEXT NOT NULL, id TEXT NOT NULL, person TEXT NOT NULL, device TEXT NOT NULL,
                    expires BIGINT NOT NULL, PRIMARY KEY (tenant, id),
                    FOREIGN KEY (tenant, person) REFERENCES person (tenant, id) ON DELETE CASCADE,
                    FOREIGN KEY (tenant, device) REFERENCES device (tenant, id) ON DELETE CASCADE)
                """,
                "CREATE INDEX offlineLeaseByPerson ON offlineLease (tenant, person)",
                "CREATE INDEX offlineLeaseByDevice ON offlineLease (tenant, device)",
                "CREATE INDEX offlineLeaseByEnd ON offlineLease (tenant, expires)",
            ])
    ]
}
