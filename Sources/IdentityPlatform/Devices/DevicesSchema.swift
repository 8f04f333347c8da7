// SPDX-License-Identifier: Apache-2.0
internal import Storage

enum DevicesSchema {
    /// Adds the column for the time at which a device was first found to be ahead of the database (``AheadDevices``).
    static let ahead = [Migration("device ahead", ["ALTER TABLE device ADD COLUMN aheadSince BIGINT"])]

    /// Adds what device management calls a device, and indices for finding devices by their names (``NamedDevice``).
    static let names = [
        Migration(
            "device names",
            [
                "ALTER TABLE device ADD COLUMN managedName TEXT", "ALTER TABLE device ADD COLUMN serialNumber TEXT",
                "CREATE INDEX deviceByName ON device (tenant, displayName, id)",
                "CREATE INDEX deviceByManagedName ON device (tenant, managedName, id)",
                "CREATE INDEX deviceBySerialNumber ON device (tenant, serialNumber, id)",
            ])
    ]

    static let migrations = [
        Migration(
            "devices",
            [
                """
                CREATE TABLE deviceAuthority (
                    tenant TEXT NOT NULL PRIMARY KEY REFERENCES tenant (id), certificate BLOB NOT NULL,
                    sealedPrivateKey BLOB NOT NULL, created BIGINT NOT NULL)
                """,
                // `id` is the device id in certificates and tokens; `objectID` is the id in the directory.
                """
                CREATE TABLE device (
                    tenant TEXT NOT NULL REFERENCES tenant (id), id TEXT NOT NULL, objectID TEXT NOT NULL,
                    displayName TEXT NOT NULL, operatingSystem TEXT NOT NULL, operatingSystemVersion TEXT NOT NULL,
                    trustType TEXT NOT NULL, profileType TEXT NOT NULL, accountEnabled BIGINT NOT NULL,
                    isManaged BIGINT NOT NULL, certificateHash BLOB NOT NULL, certificateExpires BIGINT NOT NULL,
                    deviceKey BLOB NOT NULL, transportKey BLOB NOT NULL, registered BIGINT NOT NULL,
                    registeredOwner TEXT, epochID TEXT, epochCounter BIGINT, epochClosed BIGINT NOT NULL DEFAULT 0,
                    PRIMARY KEY (tenant, id), UNIQUE (tenant, objectID), UNIQUE (tenant, certificateHash),
                    FOREIGN KEY (tenant, registeredOwner) REFERENCES person (tenant, id) ON DELETE CASCADE)
                """,
                "CREATE INDEX deviceByOwner ON device (tenant, registeredOwner)",
                """
                CREATE TABLE primaryRefreshToken (
                    tenant TEXT NOT NULL, hash BLOB NOT NULL, session TEXT NOT NULL, device TEXT NOT NULL,
                    client TEXT NOT NULL, sealedSessionKey BLOB NOT NULL, proofFamily TEXT, expires BIGINT NOT NULL,
                    PRIMARY KEY (tenant, hash),
                    FOREIGN KEY (tenant, session) REFERENCES session (tenant, id) ON DELETE CASCADE,
                    FOREIGN KEY (tenant, device) REFERENCES device (tenant, id) ON DELETE CASCADE,
                    FOREIGN KEY (tenant, client) REFERENCES client (tenant, id) ON DELETE CASCADE)
                """,
                "CREATE INDEX primaryRefreshTokenBySession ON primaryRefreshToken (tenant, session)",
                "CREATE INDEX primaryRefreshTokenByProof ON primaryRefreshToken (tenant, proofFamily)",
                "CREATE INDEX primaryRefreshTokenByEnd ON primaryRefreshToken (tenant, expires)",
            ])
    ]
}
