// SPDX-License-Identifier: Apache-2.0
internal import Storage

enum ClientsSchema {
    static let migrations = [
        Migration(
            "clients",
            [
                // A client without rows in this table has the default permissions of each resource.
                """
                CREATE TABLE clientPermission (
                    tenant TEXT NOT NULL, client TEXT NOT NULL, permission TEXT NOT NULL,
                    PRIMARY KEY (tenant, client, permission),
                    FOREIGN KEY (tenant, client) REFERENCES client (tenant, id) ON DELETE CASCADE)
                """
            ]),
        Migration(
            "confidential-clients",
            [
                "ALTER TABLE client ADD COLUMN isConfidential BIGINT NOT NULL DEFAULT 0",
                "ALTER TABLE client ADD COLUMN tokenAlgorithm TEXT NOT NULL DEFAULT 'RS256'",
                """
                CREATE TABLE clientSecret (
                    tenant TEXT NOT NULL, client TEXT NOT NULL, id TEXT NOT NULL, hash BLOB NOT NULL,
                    created BIGINT NOT NULL, expires BIGINT NOT NULL,
                    PRIMARY KEY (tenant, client, id),
                    FOREIGN KEY (tenant, client) REFERENCES client (tenant, id) ON DELETE CASCADE)
                """,
            ]),
        Migration(
            "client-state",
            [
                "ALTER TABLE client ADD COLUMN accountEnabled BIGINT NOT NULL DEFAULT 1",
                """
                CREATE TABLE clientLogoutRedirect (
                    tenant TEXT NOT NULL, client TEXT NOT NULL, uri TEXT NOT NULL, PRIMARY KEY (tenant, client, uri),
                    FOREIGN KEY (tenant, client) REFERENCES client (tenant, id) ON DELETE CASCADE)
                """,
                // Before this table existed, the redirect URIs were also used after a sign-out.
                """
                INSERT INTO clientLogoutRedirect (tenant, client, uri)
                SELECT tenant, client, uri FROM clientRedirect
                """,
            ]),
    ]
}
