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

    /// Adds the keys and the permissions of applications that act for themselves, and the client of the administrators'
    /// tools to existing tenants.
    static let applications = [
        Migration(
            "client-keys", allowsPrevious: true,
            [
                """
                CREATE TABLE clientKey (
                    tenant TEXT NOT NULL, client TEXT NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL,
                    publicKey BLOB NOT NULL, expires BIGINT, created BIGINT NOT NULL,
                    PRIMARY KEY (tenant, client, id),
                    FOREIGN KEY (tenant, client) REFERENCES client (tenant, id) ON DELETE CASCADE)
                """,
                // The permissions that an application has for itself. `clientPermission` contains those that it may use
                // on behalf of a person.
                """
                CREATE TABLE applicationPermission (
                    tenant TEXT NOT NULL, client TEXT NOT NULL, permission TEXT NOT NULL, granted BIGINT NOT NULL,
                    PRIMARY KEY (tenant, client, permission),
                    FOREIGN KEY (tenant, client) REFERENCES client (tenant, id) ON DELETE CASCADE)
                """,
                // The assertions with which clients have authenticated. Each is accepted only once.
                """
                CREATE TABLE clientAssertion (
                    tenant TEXT NOT NULL, client TEXT NOT NULL, hash BLOB NOT NULL, expires BIGINT NOT NULL,
                    PRIMARY KEY (tenant, client, hash),
                    FOREIGN KEY (tenant, client) REFERENCES client (tenant, id) ON DELETE CASCADE)
                """,
                "CREATE INDEX clientAssertionByEnd ON clientAssertion (tenant, expires)",
            ]),
        Migration(
            "administration-client", allowsPrevious: true,
            [
                """
                INSERT INTO client (tenant, id, displayName, isBroker, created)
                SELECT id, \(administration), 'Baton administration', 0, created FROM tenant WHERE removed IS NULL
                """,
                """
                INSERT INTO clientRedirect (tenant, client, uri)
                SELECT id, \(administration), \(AdministrationApp.redirectURI) FROM tenant WHERE removed IS NULL
                """,
                """
                INSERT INTO clientLogoutRedirect (tenant, client, uri)
                SELECT id, \(administration), \(AdministrationApp.redirectURI) FROM tenant WHERE removed IS NULL
                """,
                """
                INSERT INTO clientResource (tenant, client, resource)
                SELECT id, \(administration), \(ResourceCatalogue.administrationApplication) FROM tenant
                WHERE removed IS NULL
                """,
            ]),
    ]

    private static let homeScreen = HomeScreenApp.clientID
    private static let administration = AdministrationApp.clientID
}
