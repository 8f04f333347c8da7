// SPDX-License-Identifier: Apache-2.0
internal import AdminServer
internal import Encodings
internal import MDMProtocol
internal import Storage

/// An app package that the server offers.
struct OfferedApp: Sendable {
    let bundleIdentifier: String
    let version: String
    let title: String
    let size: Int64
    /// 64 hexadecimal digits.
    let sha256: String
    /// When the package was last added.
    let createdAt: Timestamp

    func manifest(url: String) -> AppManifest {
        AppManifest(
            bundleIdentifier: bundleIdentifier, version: version, title: title, url: url, size: size,
            sha256: Hexadecimal.bytes(sha256) ?? [])
    }
}

extension OfferedApp: Record {
    static let table = "app"
    enum Column: String, ColumnName { case tenant, bundleIdentifier, version, title, size, sha256, createdAt }

    init(_ row: TableRow<OfferedApp>) throws {
        self.init(
            bundleIdentifier: try row[.bundleIdentifier], version: try row[.version], title: try row[.title],
            size: try row[.size], sha256: try row[.sha256], createdAt: try row[.createdAt])
    }
}

/// The apps of one tenant.
struct Apps {
    let connection: any Connection
    let tenant: TenantID

    /// Offers an app. Replaces an earlier package with the same version.
    func put(_ app: OfferedApp) throws {
        try connection.upsert(
            into: OfferedApp.self, key: [.tenant, .bundleIdentifier, .version],
            [
                .tenant: tenant, .bundleIdentifier: app.bundleIdentifier, .version: app.version, .title: app.title,
                .size: app.size, .sha256: app.sha256, .createdAt: app.createdAt,
            ])
    }

    /// Returns a page of the apps, in the order of their identifiers and versions, and one app more if there is another
    /// page.
    ///
    /// - Throws: ``OperationRefusal``, ``StorageError``
    func all(on page: PageRequest) throws -> [OfferedApp] {
        let selection = try page.selection(orderedBy: OfferedApp.Column.bundleIdentifier, .version)
        return try connection.records(OfferedApp.self, "WHERE tenant = \(tenant) \(selection)")
    }

    func find(_ bundleIdentifier: String, version: String) throws -> OfferedApp? {
        try connection.record(
            OfferedApp.self,
            "WHERE tenant = \(tenant) AND bundleIdentifier = \(bundleIdentifier) AND version = \(version)")
    }

    /// Returns the most recently added version of the app; nil if there is none.
    func newest(_ bundleIdentifier: String) throws -> OfferedApp? {
        try connection.record(
            OfferedApp.self,
            """
            WHERE tenant = \(tenant) AND bundleIdentifier = \(bundleIdentifier) ORDER BY createdAt DESC, version DESC LIMIT 1
            """)
    }

    func holds(digest: String) throws -> Bool {
        try connection.exists(OfferedApp.self, "WHERE tenant = \(tenant) AND sha256 = \(digest)")
    }
}
