// SPDX-License-Identifier: Apache-2.0
internal import Storage

enum TokensSchema {
    static let migrations = [
        Migration(
            "refresh-token-rotation",
            [
                // Used and revoked tokens stay until they expire, so that the use of a copy is recognised.
                "ALTER TABLE refreshToken ADD COLUMN generation BIGINT NOT NULL DEFAULT 0",
                "ALTER TABLE refreshToken ADD COLUMN used BIGINT",
                "ALTER TABLE refreshToken ADD COLUMN revoked BIGINT",
                """
                CREATE UNIQUE INDEX refreshTokenByPlace ON refreshToken (tenant, family, client, generation)
                """,
                "DROP INDEX refreshTokenByFamily",
            ]),
        Migration(
            "device-codes",
            [
                """
                CREATE TABLE deviceCode (
                    tenant TEXT NOT NULL, hash BLOB NOT NULL, userCodeHash BLOB NOT NULL, client TEXT NOT NULL,
                    scope TEXT NOT NULL, expires BIGINT NOT NULL, polled BIGINT, decision TEXT, session TEXT,
                    redeemed BIGINT,
                    PRIMARY KEY (tenant, hash), UNIQUE (tenant, userCodeHash),
                    FOREIGN KEY (tenant, client) REFERENCES client (tenant, id) ON DELETE CASCADE,
                    FOREIGN KEY (tenant, session) REFERENCES session (tenant, id) ON DELETE CASCADE)
                """,
                "CREATE INDEX deviceCodeByEnd ON deviceCode (tenant, expires)",
                "CREATE INDEX deviceCodeBySession ON deviceCode (tenant, session)",
            ]),
        Migration("signing-key-schedule", ["ALTER TABLE signingKey ADD COLUMN signs BIGINT NOT NULL DEFAULT 0"]),
        Migration(
            "device-code-max-age", allowsPrevious: true, ["ALTER TABLE deviceCode ADD COLUMN maxAge BIGINT"]),
    ]
}
