// SPDX-License-Identifier: Apache-2.0
internal import Storage

extension Schema {
    static let audit = [
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
}
