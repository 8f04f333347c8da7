// SPDX-License-Identifier: Apache-2.0
internal import MDMProtocol
internal import Storage

/// The stored profiles of one tenant.
struct Profiles {
    let connection: any Connection
    let tenant: TenantID

    /// A stored profile.
    struct Entry: Sendable {
        let identifier: String
        let uuid: String
        let displayName: String?
        let body: [UInt8]
    }

    func put(_ profile: Profile, body: [UInt8]) throws {
        try connection.upsert(
            into: Entry.self, key: [.tenant, .identifier],
            [
                .tenant: tenant, .identifier: profile.identifier, .uuid: profile.uuid,
                .displayName: profile.displayName, .body: body,
            ])
    }

    func all() throws -> [Entry] {
        try connection.records(Entry.self, "WHERE tenant = \(tenant) ORDER BY identifier")
    }

    func find(_ identifier: String) throws -> Entry? {
        try connection.record(Entry.self, "WHERE tenant = \(tenant) AND identifier = \(identifier)")
    }

    func remove(_ identifier: String) throws -> Bool {
        try connection.execute("DELETE FROM profile WHERE tenant = \(tenant) AND identifier = \(identifier)") > 0
    }
}

extension Profiles.Entry: Record {
    static let table = "profile"
    enum Column: String, ColumnName { case tenant, identifier, uuid, displayName, body }

    init(_ row: TableRow<Profiles.Entry>) throws {
        self.init(
            identifier: try row[.identifier], uuid: try row[.uuid], displayName: try row[.displayName],
            body: try row[.body])
    }
}
