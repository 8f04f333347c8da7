// SPDX-License-Identifier: Apache-2.0
package import Storage

/// The organisations of one transaction.
package struct Tenants {
    private let connection: any Connection
    private let view: DirectoryCache.View?

    /// - Parameter view: what is kept of them, taken before the transaction began.
    package init(_ connection: any Connection, _ view: DirectoryCache.View? = nil) {
        (self.connection, self.view) = (connection, view)
    }

    package func find(_ id: TenantID) throws -> Tenant? {
        try view.map { try $0.tenant(id) { try read(id) } } ?? read(id)
    }

    private func read(_ id: TenantID) throws -> Tenant? {
        try connection.row("SELECT id, displayName, domain, pairwiseSalt FROM tenant WHERE id = \(id)").map(Self.tenant)
    }

    /// The organisation that a verified domain belongs to.
    package func find(domain: String) throws -> Tenant? {
        try connection.row(
            "SELECT id, displayName, domain, pairwiseSalt FROM tenant WHERE domain = \(domain.lowercased())"
        ).map(Self.tenant)
    }

    /// The organisations, by domain.
    package func all() throws -> [Tenant] {
        try connection.rows("SELECT id, displayName, domain, pairwiseSalt FROM tenant ORDER BY domain").map(Self.tenant)
    }

    /// The organisation of a server that has just one.
    package func only() throws -> Tenant? {
        let rows = try connection.rows("SELECT id, displayName, domain, pairwiseSalt FROM tenant LIMIT 2")
        return try rows.count == 1 ? rows.first.map(Self.tenant) : nil
    }

    func add(_ tenant: Tenant, at time: Timestamp) throws {
        try connection.announce(RegistrationChange())
        try connection.execute(
            """
            INSERT INTO tenant (id, displayName, domain, pairwiseSalt, created)
            VALUES (\(tenant.id), \(tenant.displayName), \(tenant.domain), \(tenant.pairwiseSalt), \(time))
            """)
    }

    private static func tenant(_ row: Row) throws -> Tenant {
        Tenant(
            id: try row.value(0), displayName: try row.text(1), domain: try row.text(2),
            pairwiseSalt: try row.bytes(3))
    }
}
