// SPDX-License-Identifier: Apache-2.0
internal import OAuth
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
        // Adds the home screen's client to existing tenants. New tenants get it when they are created
        // (``WellKnownClient``).
        Migration(
            "home-screen-client",
            [
                """
                INSERT INTO client (tenant, id, displayName, isBroker, created)
                SELECT id, \(homeScreen), 'Home screen', 0, created FROM tenant
                """,
                """
                INSERT INTO clientRedirect (tenant, client, uri)
                SELECT id, \(homeScreen), 'msauth.org.baton.home://auth' FROM tenant
                """,
                """
                INSERT INTO clientLogoutRedirect (tenant, client, uri)
                SELECT id, \(homeScreen), 'msauth.org.baton.home://auth' FROM tenant
                """,
                """
                INSERT INTO clientResource (tenant, client, resource)
                SELECT id, \(homeScreen), \(ResourceCatalogue.graphApplication) FROM tenant
                """,
            ]),
        Migration("client-names", ["CREATE INDEX clientByName ON client (tenant, displayName, id)"]),
    ]

    private static let homeScreen = HomeScreenApp.clientID
}
