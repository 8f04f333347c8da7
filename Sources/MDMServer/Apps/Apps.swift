// SPDX-License-Identifier: Apache-2.0
internal import DeviceManagement
internal import Storage

/// An app package that the server offers.
struct OfferedApp: Sendable {
    let bundleIdentifier: String
    let version: String
    let title: String
    let size: Int64
    /// 64 hexadecimal digits.
    let sha256: String

    func manifest(url: String) -> AppManifest {
        AppManifest(
            bundleIdentifier: bundleIdentifier, version: version, title: title, url: url, size: size,
            sha256: Hex.bytes(sha256) ?? [])
    }
}

/// The apps of one tenant.
struct Apps {
    let connection: any Connection
    let tenant: String

    /// Offers an app, in place of an earlier package with the same version.
    func put(_ app: OfferedApp, now: Int64) throws {
        try connection.execute(
            """
            INSERT INTO app (tenant, bundleIdentifier, version, title, size, sha256, createdAt)
            VALUES (\(tenant), \(app.bundleIdentifier), \(app.version), \(app.title), \(app.size), \(app.sha256), \(now))
            ON CONFLICT (tenant, bundleIdentifier, version) DO UPDATE
            SET title = excluded.title, size = excluded.size, sha256 = excluded.sha256, createdAt = excluded.createdAt
            """)
    }

    func all() throws -> [OfferedApp] {
        try connection.rows(
            """
            SELECT bundleIdentifier, version, title, size, sha256 FROM app
            WHERE tenant = \(tenant) ORDER BY bundleIdentifier, createdAt
            """
        ).map(Self.app)
    }

    func find(_ bundleIdentifier: String, version: String) throws -> OfferedApp? {
        try connection.row(
            """
            SELECT bundleIdentifier, version, title, size, sha256 FROM app
            WHERE tenant = \(tenant) AND bundleIdentifier = \(bundleIdentifier) AND version = \(version)
            """
        ).map(Self.app)
    }

    /// The package that was registered last.
    func newest(_ bundleIdentifier: String) throws -> OfferedApp? {
        try connection.rows(
            """
            SELECT bundleIdentifier, version, title, size, sha256 FROM app
            WHERE tenant = \(tenant) AND bundleIdentifier = \(bundleIdentifier) ORDER BY createdAt DESC LIMIT 1
            """
        ).first.map(Self.app)
    }

    func holds(digest: String) throws -> Bool {
        try !connection.rows("SELECT 1 FROM app WHERE tenant = \(tenant) AND sha256 = \(digest) LIMIT 1").isEmpty
    }

    private static func app(_ row: Row) throws -> OfferedApp {
        OfferedApp(
            bundleIdentifier: try row.text(0), version: try row.text(1), title: try row.text(2),
            size: try row.integer(3),
            sha256: try row.text(4))
    }
}
