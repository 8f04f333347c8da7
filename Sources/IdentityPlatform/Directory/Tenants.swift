// SPDX-License-Identifier: Apache-2.0
package import Storage

extension Tenant: Record {
    package static let table = "tenant"
    package static let unread: Set<Column> = [.created]
    package enum Column: String, ColumnName { case id, displayName, domain, pairwiseSalt, created }

    package init(_ row: TableRow<Tenant>) throws {
        self.init(
            id: try row[.id], displayName: try row[.displayName], domain: try row[.domain],
            pairwiseSalt: try row[.pairwiseSalt])
    }
}

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
        try connection.record(Tenant.self, "WHERE id = \(id)")
    }

    /// The organisation that a verified domain belongs to.
    package func find(domain: String) throws -> Tenant? {
        try connection.record(Tenant.self, "WHERE domain = \(domain.lowercased())")
    }

    /// The organisations, by domain.
    package func all() throws -> [Tenant] {
        try connection.records(Tenant.self, "ORDER BY domain")
    }

    /// The organisation of a server that has just one.
    package func only() throws -> Tenant? {
        let some = try connection.records(Tenant.self, "LIMIT 2")
        return some.count == 1 ? some.first : nil
    }

    func add(_ tenant: Tenant, at time: Timestamp) throws {
        try connection.announce(RegistrationChange())
        try connection.insert(
            into: Tenant.self,
            [
                .id: tenant.id, .displayName: tenant.displayName, .domain: tenant.domain,
                .pairwiseSalt: tenant.pairwiseSalt, .created: time,
            ])
    }
}
