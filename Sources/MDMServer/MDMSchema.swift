// SPDX-License-Identifier: Apache-2.0
internal import AdminServer
package import Storage

/// The tables of device management. The tenant is the first column of the key of every table, except the tables of the
/// server's own authority and of packages' bytes.
package enum MDMSchema {
    package static let migrations =
        [
            Migration(
                "management", [authority, tenant, enrolment, device, command, profile, app, heldProfile, heldApp]),
            Migration("renewal", [takeOver, renewalCommand, indexOfDevice, waitingCommands]),
            Migration("audit", [audit, auditByTime]),
            Migration("sealed authority", [sealedPrivateKey]),
            Migration("sealed devices", [sealedBody, sealedUnlockToken]),
            Migration("enrollment", enrollmentSpelling),
            Migration("audit entry", auditEntry),
            Migration("inventory", [dueInventory]),
            Migration("tenant domain", tenantDomain),
            Migration("command subject", [commandSubject]),
            Migration("packages", PackageCopy.statements),
            Migration("audit client address", allowsPrevious: true, [auditClientAddress]),
            Migration("finished commands", [finishedCommands]),
            Migration("names", names),
            Migration(
                "device list", allowsPrevious: true,
                [
                    "CREATE INDEX deviceInOrder ON device (tenant, name, udid)",
                    "CREATE INDEX enrollmentInOrder ON enrollment (tenant, createdAt DESC, id)",
                ]),
            Migration("audit interface", allowsPrevious: true, ["ALTER TABLE audit ADD COLUMN interface TEXT"]),
        ] + IdempotencyKeys.migrations

    /// The inventory lists that the server must request (``DueInventory``). For devices that enrolled before this step,
    /// both lists are due.
    private static let dueInventory: SQL = "ALTER TABLE device ADD COLUMN dueInventory BIGINT NOT NULL DEFAULT 3"

    /// The tenant's domain. The row of a removed tenant is kept for the audit log.
    private static let tenantDomain: [SQL] = [
        "ALTER TABLE tenant ADD COLUMN domain TEXT", "ALTER TABLE tenant ADD COLUMN removed BIGINT",
    ]

    /// The profile or app that a command concerns.
    private static let commandSubject: SQL = "ALTER TABLE command ADD COLUMN subject TEXT"

    /// Changes names to Apple's spelling. The steps above keep the former spelling, because an applied step must not
    /// change.
    private static let enrollmentSpelling: [SQL] = [
        "ALTER TABLE enrolment RENAME TO enrollment", "ALTER TABLE device RENAME COLUMN enrolment TO enrollment",
        "DROP INDEX enrolmentOfDevice", "CREATE INDEX enrollmentOfDevice ON enrollment (tenant, udid)",
        "UPDATE audit SET action = replace(action, 'mdm.enrolment.', 'mdm.enrollment.')",
    ]

    /// What the directory calls a device, and indices for finding objects by their names. Devices and administrators
    /// choose names of any length; the indices leave out those that would be too long for an entry on PostgreSQL
    /// (``NamedItems/indexed(_:_:)``).
    private static let names: [SQL] = [
        "ALTER TABLE device ADD COLUMN directoryID TEXT", "ALTER TABLE device ADD COLUMN directoryObjectID TEXT",
        "ALTER TABLE device ADD COLUMN directoryName TEXT",
        "CREATE INDEX deviceByDirectoryID ON device (tenant, directoryID)",
        "CREATE INDEX deviceByDirectoryObjectID ON device (tenant, directoryObjectID)",
        "CREATE INDEX deviceByDirectoryName ON device (tenant, directoryName)",
        "CREATE INDEX deviceByName ON device (tenant, name) WHERE length(name) <= 256",
        "CREATE INDEX deviceBySerialNumber ON device (tenant, serialNumber) WHERE length(serialNumber) <= 256",
        "CREATE INDEX profileByName ON profile (tenant, displayName) WHERE length(displayName) <= 256",
        "CREATE INDEX appByTitle ON app (tenant, title) WHERE length(title) <= 256",
        "CREATE INDEX tenantByDomain ON tenant (domain)", "CREATE INDEX tenantByRemoval ON tenant (removed, domain)",
    ]

    private static let authority: SQL = """
        CREATE TABLE authority (
            name TEXT NOT NULL PRIMARY KEY, certificate BLOB NOT NULL, privateKey BLOB NOT NULL)
        """

    /// The authority's private key, sealed under a key that is stored outside the database. If this column is set,
    /// `privateKey` is unused.
    private static let sealedPrivateKey: SQL = "ALTER TABLE authority ADD COLUMN sealedPrivateKey BLOB"

    private static let tenant: SQL = """
        CREATE TABLE tenant (id TEXT NOT NULL PRIMARY KEY, organization TEXT NOT NULL, topic TEXT NOT NULL)
        """

    /// One enrollment profile with its one identity. `udid` is null until a device has used the profile.
    private static let enrolment: SQL = """
        CREATE TABLE enrolment (
            tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE, id TEXT NOT NULL, name TEXT NOT NULL,
            fingerprint TEXT NOT NULL, state TEXT NOT NULL, udid TEXT, createdAt BIGINT NOT NULL,
            expiresAt BIGINT NOT NULL, PRIMARY KEY (tenant, id), UNIQUE (tenant, fingerprint))
        """

    /// The UDID of the device that this enrollment may take over from another enrollment.
    private static let takeOver: SQL = "ALTER TABLE enrolment ADD COLUMN takesOver TEXT"

    /// The command that delivers this identity to a device with an older identity.
    private static let renewalCommand: SQL = "ALTER TABLE enrolment ADD COLUMN renewalCommand TEXT"

    private static let indexOfDevice: SQL = "CREATE INDEX enrolmentOfDevice ON enrolment (tenant, udid)"

    /// An index for finding waiting commands without reading finished ones.
    private static let waitingCommands: SQL = """
        CREATE INDEX commandWaiting ON command (tenant, udid, position) WHERE finishedAt IS NULL
        """

    /// An index for finding the commands whose retention period has ended.
    private static let finishedCommands: SQL = """
        CREATE INDEX commandFinished ON command (tenant, finishedAt) WHERE finishedAt IS NOT NULL
        """

    /// Administrative acts. Each line is written in the act's transaction.
    private static let audit: SQL = """
        CREATE TABLE audit (
            tenant TEXT NOT NULL REFERENCES tenant (id), position BIGINT NOT NULL, time BIGINT NOT NULL,
            actor TEXT NOT NULL, action TEXT NOT NULL, subject TEXT NOT NULL, detail TEXT, correlation TEXT,
            PRIMARY KEY (tenant, position))
        """

    /// The columns that complete the common format of audit lines.
    private static let auditEntry: [SQL] = [
        "ALTER TABLE audit ADD COLUMN outcome TEXT NOT NULL DEFAULT 'done'",
        "ALTER TABLE audit ADD COLUMN repetitions BIGINT NOT NULL DEFAULT 1",
        "ALTER TABLE audit ADD COLUMN method TEXT",
    ]

    /// Part of the common format; empty, because nothing in this log is caused over the network.
    private static let auditClientAddress: SQL = "ALTER TABLE audit ADD COLUMN clientAddress TEXT"

    private static let auditByTime: SQL = "CREATE INDEX auditByTime ON audit (tenant, time)"

    private static let device: SQL = """
        CREATE TABLE device (
            tenant TEXT NOT NULL, udid TEXT NOT NULL, enrolment TEXT NOT NULL, name TEXT NOT NULL, state TEXT NOT NULL,
            productName TEXT, osVersion TEXT, serialNumber TEXT, token BLOB, pushMagic TEXT, unlockToken BLOB,
            changedAt BIGINT NOT NULL, PRIMARY KEY (tenant, udid),
            FOREIGN KEY (tenant, enrolment) REFERENCES enrolment (tenant, id))
        """

    private static let command: SQL = """
        CREATE TABLE command (
            tenant TEXT NOT NULL, udid TEXT NOT NULL, position BIGINT NOT NULL, uuid TEXT NOT NULL,
            requestType TEXT NOT NULL, body BLOB NOT NULL, state TEXT NOT NULL, enqueuedAt BIGINT NOT NULL,
            finishedAt BIGINT, result BLOB, PRIMARY KEY (tenant, udid, position), UNIQUE (tenant, udid, uuid),
            FOREIGN KEY (tenant, udid) REFERENCES device (tenant, udid) ON DELETE CASCADE)
        """

    private static let profile: SQL = """
        CREATE TABLE profile (
            tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE, identifier TEXT NOT NULL, uuid TEXT NOT NULL,
            displayName TEXT, body BLOB NOT NULL, PRIMARY KEY (tenant, identifier))
        """

    private static let app: SQL = """
        CREATE TABLE app (
            tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE, bundleIdentifier TEXT NOT NULL,
            version TEXT NOT NULL, title TEXT NOT NULL, size BIGINT NOT NULL, sha256 TEXT NOT NULL,
            createdAt BIGINT NOT NULL, PRIMARY KEY (tenant, bundleIdentifier, version))
        """

    /// The sealed bytes of a waiting command; null once the command has finished. `body` stays empty.
    private static let sealedBody: SQL = "ALTER TABLE command ADD COLUMN sealedBody BLOB"

    /// The sealed unlock token; `unlockToken` stays null.
    private static let sealedUnlockToken: SQL = "ALTER TABLE device ADD COLUMN sealedUnlockToken BLOB"

    /// The profiles that a device reported in a ProfileList.
    private static let heldProfile: SQL = """
        CREATE TABLE heldProfile (
            tenant TEXT NOT NULL, udid TEXT NOT NULL, identifier TEXT NOT NULL, uuid TEXT NOT NULL,
            PRIMARY KEY (tenant, udid, identifier),
            FOREIGN KEY (tenant, udid) REFERENCES device (tenant, udid) ON DELETE CASCADE)
        """

    /// The apps that a device reported in a ManagedApplicationList.
    private static let heldApp: SQL = """
        CREATE TABLE heldApp (
            tenant TEXT NOT NULL, udid TEXT NOT NULL, identifier TEXT NOT NULL, state TEXT NOT NULL,
            hasConfiguration BIGINT NOT NULL, PRIMARY KEY (tenant, udid, identifier),
            FOREIGN KEY (tenant, udid) REFERENCES device (tenant, udid) ON DELETE CASCADE)
        """
}
