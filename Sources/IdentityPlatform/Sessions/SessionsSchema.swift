// SPDX-License-Identifier: Apache-2.0
internal import Storage

enum SessionsSchema {
    static let migrations = [
        Migration(
            "sessions",
            [
                """
                CREATE TABLE session (
                    tenant TEXT NOT NULL, id TEXT NOT NULL, person TEXT NOT NULL, device TEXT,
                    sharedDevice BIGINT NOT NULL DEFAULT 0, epochCounter BIGINT, methods TEXT NOT NULL,
                    begun BIGINT NOT NULL, ended BIGINT, PRIMARY KEY (tenant, id),
                    FOREIGN KEY (tenant, person) REFERENCES person (tenant, id) ON DELETE CASCADE)
                """,
                "CREATE INDEX sessionByPerson ON session (tenant, person)",
                "CREATE INDEX sessionByDevice ON session (tenant, device)",
                "CREATE INDEX sessionByBegin ON session (tenant, begun)",
                """
                CREATE TABLE browserSession (
                    tenant TEXT NOT NULL, hash BLOB NOT NULL, session TEXT NOT NULL, expires BIGINT NOT NULL,
                    PRIMARY KEY (tenant, hash),
                    FOREIGN KEY (tenant, session) REFERENCES session (tenant, id) ON DELETE CASCADE)
                """,
                "CREATE INDEX browserSessionBySession ON browserSession (tenant, session)",
                "CREATE INDEX browserSessionByEnd ON browserSession (tenant, expires)",
                """
                CREATE TABLE authorizationCode (
                    tenant TEXT NOT NULL, hash BLOB NOT NULL, session TEXT NOT NULL, client TEXT NOT NULL,
                    redirectURI TEXT NOT NULL, scope TEXT NOT NULL, challenge TEXT NOT NULL, nonce TEXT,
                    family TEXT NOT NULL, beganSession BIGINT NOT NULL, expires BIGINT NOT NULL, redeemed BIGINT,
                    PRIMARY KEY (tenant, hash),
                    FOREIGN KEY (tenant, session) REFERENCES session (tenant, id) ON DELETE CASCADE,
                    FOREIGN KEY (tenant, client) REFERENCES client (tenant, id) ON DELETE CASCADE)
                """,
                "CREATE INDEX authorizationCodeBySession ON authorizationCode (tenant, session)",
                "CREATE INDEX authorizationCodeByEnd ON authorizationCode (tenant, expires)",
                """
                CREATE TABLE refreshToken (
                    tenant TEXT NOT NULL, hash BLOB NOT NULL, family TEXT NOT NULL, session TEXT NOT NULL,
                    client TEXT NOT NULL, scope TEXT NOT NULL, ofPrimary BIGINT NOT NULL, issued BIGINT NOT NULL,
                    expires BIGINT NOT NULL,
                    PRIMARY KEY (tenant, hash),
                    FOREIGN KEY (tenant, session) REFERENCES session (tenant, id) ON DELETE CASCADE,
                    FOREIGN KEY (tenant, client) REFERENCES client (tenant, id) ON DELETE CASCADE)
                """,
                "CREATE INDEX refreshTokenBySession ON refreshToken (tenant, session)",
                "CREATE INDEX refreshTokenByFamily ON refreshToken (tenant, family)",
                "CREATE INDEX refreshTokenByEnd ON refreshToken (tenant, expires)",
            ])
    ]
}
