// SPDX-License-Identifier: Apache-2.0
internal import DeviceManagement
internal import Storage

/// The profiles of one tenant, ready to be pushed.
struct Profiles {
    let connection: any Connection
    let tenant: String

    /// A profile in the list.
    struct Entry: Sendable {
        let identifier: String
        let uuid: String
        let displayName: String?
        let body: [UInt8]
    }

    func put(_ profile: Profile, body: [UInt8]) throws {
        try connection.execute(
            """
            INSERT INTO profile (tenant, identifier, uuid, displayName, body)
            VALUES (\(tenant), \(profile.identifier), \(profile.uuid), \(profile.displayName), \(body))
            ON CONFLICT (tenant, identifier) DO UPDATE
            SET uuid = excluded.uuid, displayName = excluded.displayName, body = excluded.body
            """)
    }

    func all() throws -> [Entry] {
        try connection.rows(
            "SELECT identifier, uuid, displayName, body FROM profile WHERE tenant = \(tenant) ORDER BY identifier"
        ).map(Self.entry)
    }

    func find(_ identifier: String) throws -> Entry? {
        try connection.row(
            """
            SELECT identifier, uuid, displayName, body FROM profile
            WHERE tenant = \(tenant) AND identifier = \(identifier)
            """
        ).map(Self.entry)
    }

    func remove(_ identifier: String) throws -> Bool {
        try connection.execute("DELETE FROM profile WHERE tenant = \(tenant) AND identifier = \(identifier)") > 0
    }

    private static func entry(_ row: Row) throws -> Entry {
        Entry(
            identifier: try row.text(0), uuid: try row.text(1), displayName: try row.optionalText(2),
            body: try row.bytes(3))
    }
}
