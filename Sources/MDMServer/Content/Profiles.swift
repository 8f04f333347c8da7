// SPDX-License-Identifier: Apache-2.0
internal import AdminServer
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

    /// Returns a page of the profiles, in the order of their identifiers, and one profile more if there is another page.
    ///
    /// - Throws: ``StorageError``
    func all(on page: PageRequest) throws -> [Entry] {
        let later: SQL = page.after.map { "AND identifier > \($0)" } ?? ""
        return try connection.records(
            Entry.self,
            """
            WHERE tenant = \(tenant) \(page.filter(by: Entry.Column.identifier)) \(later)
            ORDER BY identifier LIMIT \(page.limit + 1)
            """)
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
