// SPDX-License-Identifier: Apache-2.0
internal import Storage

enum AuditSchema {
    static let migrations = [
        Migration(
            "audit",
            [
                """
                CREATE TABLE audit (
                    tenant TEXT NOT NULL REFERENCES tenant (id), position BIGINT NOT NULL, time BIGINT NOT NULL,
                    actor TEXT NOT NULL, action TEXT NOT NULL, subject TEXT, outcome TEXT NOT NULL,
                    repetitions BIGINT NOT NULL, PRIMARY KEY (tenant, position))
                """,
                "CREATE INDEX auditByActor ON audit (tenant, actor, time)",
            ])
    ]

    /// Adds the columns for an entry's origin (the sign-in method and the request id) and for its detail.
    static let origin = [
        Migration(
            "audit origin",
            [
                "ALTER TABLE audit ADD COLUMN door TEXT", "ALTER TABLE audit ADD COLUMN correlation TEXT",
                "CREATE INDEX auditByTime ON audit (tenant, time)",
            ]),
        Migration("sign-in method", ["ALTER TABLE audit RENAME COLUMN door TO method"]),
        Migration("audit detail", ["ALTER TABLE audit ADD COLUMN detail TEXT"]),
    ]

    /// Adds the column for the address of the client whose request caused the event.
    static let clientAddress = [
        Migration(
            "audit client address", allowsPrevious: true, ["ALTER TABLE audit ADD COLUMN clientAddress TEXT"])
    ]

    /// Adds the column for the interface through which an administrator acted.
    static let interface = [
        Migration("audit interface", allowsPrevious: true, ["ALTER TABLE audit ADD COLUMN interface TEXT"])
    ]
}
