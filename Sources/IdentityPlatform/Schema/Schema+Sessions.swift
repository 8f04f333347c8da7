// SPDX-License-Identifier: Apache-2.0
internal import Storage

extension Schema {
    static let sessions = [
        Migration(
            "sessions",
            [
                """
                CREATE TABLE session (
                    tenant TEXT NOT NULL, id TEXT NOT NULL, user TEXT NOT NULL, device TEXT,
                    sharedDevice BIGINT NOT NULL DEFAULT 0, methods TEXT NOT NULL, begun BIGINT NOT NULL,
                    ended BIGINT, PRIMARY KEY (tenant, id),
                    FOREIGN KEY (tenant, user) REFERENCES user (tenant, id) ON DELETE CASCADE)
                """,
                "CREATE INDEX sessionByUser ON session (tenant, user)",
                """
                CREATE TABLE browserSession (
                    tenant TEXT NOT NULL, hash BLOB NOT NULL, session TEXT NOT NULL, expires BIGINT NOT NULL,
                    PRIMARY KEY (tenant, hash),
                    FOREIGN KEY (tenant, session) REFERENCES session (tenant, id) ON DELETE CASCADE)
                """,
                "CREATE INDEX browserSessionBySession ON browserSession (tenant, session)",
                """
                CREATE TABLE authorizationCode (
                    tenant TEXT NOT NULL, hash BLOB NOT NULL, session TEXT NOT NULL, client TEXT NOT NULL,
                    redirectURI TEXT NOT NULL, scope TEXT NOT NULL, challenge TEXT NOT NULL, nonce TEXT,
                    family TEXT NOT NULL, expires BIGINT NOT NULL, redeemed BIGINT,
                    PRIMARY KEY (tenant, hash),
                    FOREIGN KEY (tenant, session) REFERENCES session (tenant, id) ON DELETE CASCADE,
                    FOREIGN KEY (tenant, client) REFERENCES client (tenant, id) ON DELETE CASCADE)
                """,
                "CREATE INDEX authorizationCodeBySession ON authorizationCode (tenant, session)",
                """
                CREATE TABLE refreshToken (
                    tenant TEXT NOT NULL, hash BLOB NOT NULL, family TEXT NOT NULL, session TEXT NOT NULL,
                    client TEXT NOT NULL, scope TEXT NOT NULL, issued BIGINT NOT NULL, expires BIGINT NOT NULL,
                    PRIMARY KEY (tenant, hash),
                    FOREIGN KEY (tenant, session) REFERENCES session (tenant, id) ON DELETE CASCADE,
                    FOREIGN KEY (tenant, client) REFERENCES client (tenant, id) ON DELETE CASCADE)
                """,
                "CREATE INDEX refreshTokenBySession ON refreshToken (tenant, session)",
                "CREATE INDEX refreshTokenByFamily ON refreshToken (tenant, family)",
            ])
    ]
}
