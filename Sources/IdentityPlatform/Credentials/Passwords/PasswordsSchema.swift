// SPDX-License-Identifier: Apache-2.0
internal import Storage

enum PasswordsSchema {
    static let migrations = [
        Migration(
            "passwords",
            [
                // drained is when the last counted failure is forgiven; hash stands for a name, an address or both.
                """
                CREATE TABLE signInThrottle (
                    tenant TEXT NOT NULL REFERENCES tenant (id), kind TEXT NOT NULL, hash BLOB NOT NULL,
                    drained BIGINT NOT NULL, expires BIGINT NOT NULL, PRIMARY KEY (tenant, kind, hash))
                """,
                "CREATE INDEX signInThrottleByEnd ON signInThrottle (tenant, expires)",
            ]),
        // By whose name a count is kept, so that an administrator can find all of a person's.
        Migration(
            "throttled names",
            [
                "ALTER TABLE signInThrottle ADD COLUMN nameHash BLOB",
                "CREATE INDEX signInThrottleByName ON signInThrottle (tenant, nameHash)",
            ]),
    ]
}
