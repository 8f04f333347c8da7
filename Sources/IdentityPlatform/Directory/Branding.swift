// SPDX-License-Identifier: Apache-2.0
internal import Storage
internal import WebPages

/// The look of an organisation's pages: the colour of their buttons, and a logo.
struct Branding: Sendable, Equatable {
    /// `#RRGGBB`; nil for the default colour.
    let colour: String?
    let hasLogo: Bool
    /// A text that changes whenever the colour or the logo changes. The URLs of both contain this text, so that
    /// browsers may cache the colour and the logo.
    let version: String
}

/// Access to the organisations' branding in one transaction.
struct Brandings {
    private let connection: any Connection

    init(_ connection: any Connection) { self.connection = connection }

    /// Returns the branding of an organisation; nil if it has none.
    ///
    /// - Throws: ``StorageError``
    func find(_ tenant: TenantID) throws -> Branding? {
        let row = try connection.row(
            """
            SELECT colour, version, CASE WHEN logo IS NULL THEN 0 ELSE 1 END AS hasLogo FROM tenantBranding
            WHERE tenant = \(tenant)
            """)
        guard let row else { return nil }
        return try Branding(colour: row["colour"], hasLogo: row["hasLogo"] == 1, version: row["version"])
    }

    /// Returns the logo; nil if there is none.
    ///
    /// - Throws: ``StorageError``, including when the stored bytes are not an image that pages can show.
    func logo(of tenant: TenantID) throws -> PageImage? {
        let row = try connection.row("SELECT logo FROM tenantBranding WHERE tenant = \(tenant)")
        guard let row, let bytes: [UInt8] = try row["logo"] else { return nil }
        guard let logo = PageImage(bytes: bytes) else {
            throw StorageError(.unexpectedValue, "the logo is not an image")
        }
        return logo
    }

    /// Replaces the branding of an organisation, or removes it if both values are nil.
    ///
    /// - Throws: ``StorageError``
    func set(colour: String?, logo: PageImage?, tenant: TenantID) throws {
        try connection.execute("DELETE FROM tenantBranding WHERE tenant = \(tenant)")
        guard colour != nil || logo != nil else { return }
        let version = PageAsset.version(of: Array((colour ?? "").utf8) + (logo?.bytes ?? []))
        try connection.execute(
            """
            INSERT INTO tenantBranding (tenant, colour, logo, version)
            VALUES (\(tenant), \(colour), \(logo?.bytes), \(version))
            """)
    }
}

enum BrandingSchema {
    /// Creates the table of the organisations' logos and colours.
    static let migrations = [
        Migration(
            "branding",
            [
                """
                CREATE TABLE tenantBranding (
                    tenant TEXT NOT NULL PRIMARY KEY REFERENCES tenant (id), colour TEXT, logo BLOB,
                    version TEXT NOT NULL)
                """
            ])
    ]
}
