// SPDX-License-Identifier: Apache-2.0
internal import Storage

enum DirectorySchema {
    /// Adds the column for the time at which an organisation was removed. The organisation's row is kept, because the
    /// audit log refers to it. After the removal, another organisation can use the domain.
    static let removal = [
        Migration("tenant removal", ["ALTER TABLE tenant ADD COLUMN removed BIGINT"]),
        // The index finds the organisations that are not removed.
        Migration("present tenants", ["CREATE INDEX tenantByRemoval ON tenant (removed, domain)"]),
    ]

    static let migrations = [
        Migration(
            "directory",
            [
                """
                CREATE TABLE tenant (
                    id TEXT NOT NULL PRIMARY KEY, displayName TEXT NOT NULL, domain TEXT NOT NULL UNIQUE,
                    pairwiseSalt BLOB NOT NULL, created BIGINT NOT NULL)
                """,
                // `loginName` is the user principal name in lower case, because comparisons of names ignore case.
                """
                CREATE TABLE person (
                    tenant TEXT NOT NULL REFERENCES tenant (id), id TEXT NOT NULL, loginName TEXT NOT NULL,
                    userPrincipalName TEXT NOT NULL, displayName TEXT NOT NULL, givenName TEXT, surname TEXT,
                    mail TEXT, jobTitle TEXT, mobilePhone TEXT, accountEnabled BIGINT NOT NULL,
                    passwordHash TEXT NOT NULL, created BIGINT NOT NULL,
                    PRIMARY KEY (tenant, id), UNIQUE (tenant, loginName))
                """,
                """
                CREATE TABLE roleMember (
                    tenant TEXT NOT NULL, role TEXT NOT NULL, person TEXT NOT NULL,
                    PRIMARY KEY (tenant, role, person),
                    FOREIGN KEY (tenant, person) REFERENCES person (tenant, id) ON DELETE CASCADE)
                """,
                "CREATE INDEX roleMemberByPerson ON roleMember (tenant, person)",
                """
                CREATE TABLE client (
                    tenant TEXT NOT NULL REFERENCES tenant (id), id TEXT NOT NULL, displayName TEXT NOT NULL,
                    isBroker BIGINT NOT NULL, created BIGINT NOT NULL, PRIMARY KEY (tenant, id))
                """,
                """
                CREATE TABLE clientRedirect (
                    tenant TEXT NOT NULL, client TEXT NOT NULL, uri TEXT NOT NULL,
                    PRIMARY KEY (tenant, client, uri),
                    FOREIGN KEY (tenant, client) REFERENCES client (tenant, id) ON DELETE CASCADE)
                """,
                """
                CREATE TABLE clientResource (
                    tenant TEXT NOT NULL, client TEXT NOT NULL, resource TEXT NOT NULL,
                    PRIMARY KEY (tenant, client, resource),
                    FOREIGN KEY (tenant, client) REFERENCES client (tenant, id) ON DELETE CASCADE)
                """,
                """
                CREATE TABLE signingKey (
                    tenant TEXT NOT NULL REFERENCES tenant (id), id TEXT NOT NULL, algorithm TEXT NOT NULL,
                    sealedPrivateKey BLOB NOT NULL, created BIGINT NOT NULL, PRIMARY KEY (tenant, id))
                """,
                // One row for the whole server: a value that only its storage key can decrypt.
                "CREATE TABLE storageCheck (name TEXT NOT NULL PRIMARY KEY, sealed BLOB NOT NULL)",
            ])
    ]
}
