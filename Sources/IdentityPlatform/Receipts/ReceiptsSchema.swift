// SPDX-License-Identifier: Apache-2.0
internal import Storage

enum ReceiptsSchema {
    /// The organisations' receipt keys and the countersigned chain heads.
    static let migrations = [
        Migration(
            "receipts",
            [
                """
                CREATE TABLE receiptAuthority (
                    tenant TEXT NOT NULL PRIMARY KEY REFERENCES tenant (id), sealedAnchorKey BLOB NOT NULL,
                    sealedSubjectKey BLOB NOT NULL, created BIGINT NOT NULL)
                """,
                // A chain is identified by the thumbprint of its key, so it continues when its device joins again.
                """
                CREATE TABLE receiptAnchor (
                    tenant TEXT NOT NULL REFERENCES tenant (id), chain TEXT NOT NULL, sequence BIGINT NOT NULL,
                    device TEXT NOT NULL, hash TEXT NOT NULL, line BLOB NOT NULL, time BIGINT NOT NULL,
                    PRIMARY KEY (tenant, chain, sequence))
                """,
            ])
    ]
}
