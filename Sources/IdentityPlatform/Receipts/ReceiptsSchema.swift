// SPDX-License-Identifier: Apache-2.0
internal import Storage

enum ReceiptsSchema {
    /// Creates the table of the organisations' receipt keys, and the table of the countersigned chain heads.
    static let migrations = [
        Migration(
            "receipts",
            [
                """
                CREATE TABLE receiptAuthority (
                    tenant TEXT NOT NULL PRIMARY KEY REFERENCES tenant (id), sealedAnchorKey BLOB NOT NULL,
                    sealedSubjectKey BLOB NOT NULL, created BIGINT NOT NULL)
                """,
                // `chain` is the thumbprint of the chain's key, so the chain continues when its device joins again.
                """
                CREATE TABLE receiptAnchor (
                    tenant TEXT NOT NULL REFERENCES tenant (id), chain TEXT NOT NULL, sequence BIGINT NOT NULL,
                    device TEXT NOT NULL, hash TEXT NOT NULL, line BLOB NOT NULL, time BIGINT NOT NULL,
                    PRIMARY KEY (tenant, chain, sequence))
                """,
            ]),
        // The index finds the heads whose retention period has ended.
        Migration("receipt times", ["CREATE INDEX receiptAnchorByTime ON receiptAnchor (tenant, time)"]),
    ]
}
