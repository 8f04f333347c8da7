// SPDX-License-Identifier: Apache-2.0
package import Storage

extension Tenant: Record {
    package static let table = "tenant"
    package static let unread: Set<Column> = [.created, .removed]
    package enum Column: String, ColumnName { case id, displayName, domain, pairwiseSalt, created, removed }

    package init(_ row: TableRow<Tenant>) throws {
        self.init(
            id: try row[.id], displayName: try row[.displayName], domain: try row[.domain],
            pairwiseSalt: try row[.pairwiseSalt])
    }
}

/// Access to the organisations in one transaction.
package struct Tenants {
    private let connection: any Connection
    private let view: DirectoryCache.View?

    /// - Parameter view: a view of the cache, taken before the transaction began.
    package init(_ connection: any Connection, _ view: DirectoryCache.View? = nil) {
        (self.connection, self.view) = (connection, view)
    }

    package func find(_ id: TenantID) throws -> Tenant? {
        try view.map { try $0.tenant(id) { try read(id) } } ?? read(id)
    }

    private func read(_ id: TenantID) throws -> Tenant? {
        try connection.record(Tenant.self, "WHERE id = \(id) AND removed IS NULL")
    }

    /// Returns the organisation that has this verified domain; nil if there is none.
    package func find(domain: String) throws -> Tenant? {
        try connection.record(Tenant.self, "WHERE domain = \(domain.lowercased()) AND removed IS NULL")
    }

    /// Returns the organisations, sorted by domain.
    package func all() throws -> [Tenant] {
        try connection.records(Tenant.self, "WHERE removed IS NULL ORDER BY domain")
    }

    /// Returns the server's organisation if there is exactly one.
    package func only() throws -> Tenant? {
        let some = try connection.records(Tenant.self, "WHERE removed IS NULL LIMIT 2")
        return some.count == 1 ? some.first : nil
    }

    /// Returns the ids of removed organisations, whose audit logs are kept.
    ///
    /// - Throws: ``StorageError``
    func removed() throws -> [TenantID] {
        try connection.values(.id, of: Tenant.self, "WHERE removed IS NOT NULL ORDER BY id")
    }

    /// Returns whether this organisation has been removed.
    ///
    /// - Throws: ``StorageError``
    func isRemoved(_ id: TenantID) throws -> Bool {
        try connection.exists(Tenant.self, "WHERE id = \(id) AND removed IS NOT NULL")
    }

    /// Returns the number of an organisation's objects in the directory.
    ///
    /// - Throws: ``StorageError``
    func holdings(of tenant: TenantID) throws -> Holdings {
        func count(_ table: SQL) throws -> Int {
            try connection.row("SELECT COUNT(*) AS count FROM \(table) WHERE tenant = \(tenant)")?["count"] ?? 0
        }
        return try Holdings(
            users: count("person"), groups: count("directoryGroup"), clients: count("client"),
            sessions: connection.count(of: Session.self, "WHERE tenant = \(tenant) AND ended IS NULL"),
            devices: count("device"))
    }

    /// The number of an organisation's objects, by kind.
    struct Holdings: Sendable {
        let users: Int
        let groups: Int
        let clients: Int
        /// The number of sessions that have not ended.
        let sessions: Int
        let devices: Int
    }

    /// The tables with an organisation's data. A table that refers to another table comes before it. Rows of tables
    /// that are not listed here are deleted by cascade.
    private static let tables: [SQL] = [
        "tenantBranding", "device", "directoryGroup", "person", "client", "signingKey", "offlineRules",
        "deviceAuthority",
        "deviceRegistrationRules", "receiptAnchor", "receiptAuthority", "signInThrottle", "erasure",
    ]

    /// Removes an organisation with all its data except its audit log.
    ///
    /// - Throws: ``StorageError``
    func remove(_ tenant: TenantID, at time: Timestamp) throws {
        try connection.announce(RegistrationChange())
        for table in Self.tables { try connection.execute("DELETE FROM \(table) WHERE tenant = \(tenant)") }
        // The id replaces the domain, so that another organisation can use the domain.
        try connection.execute("UPDATE tenant SET removed = \(time), domain = id WHERE id = \(tenant)")
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
