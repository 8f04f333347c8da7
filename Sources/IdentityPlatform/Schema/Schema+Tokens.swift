// SPDX-License-Identifier: Apache-2.0
internal import Storage

extension Schema {
    static let tokens = [
        Migration(
            "refresh-token-rotation",
            [
                // Used and revoked ones stay until they expire: that is how a copy is recognised.
                "ALTER TABLE refreshToken ADD COLUMN generation BIGINT NOT NULL DEFAULT 0",
                "ALTER TABLE refreshToken ADD COLUMN used BIGINT",
                "ALTER TABLE refreshToken ADD COLUMN revoked BIGINT",
                """
                CREATE UNIQUE INDEX refreshTokenByPlace ON refreshToken (tenant, family, client, generation)
                """,
                "DROP INDEX refreshTokenByFamily",
            ]),
        Migration("signing-key-schedule", ["ALTER TABLE signingKey ADD COLUMN signs BIGINT NOT NULL DEFAULT 0"]),
    ]
}
