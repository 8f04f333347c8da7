// SPDX-License-Identifier: Apache-2.0
internal import OAuth
package import Storage

/// The application registrations of one transaction.
package struct Clients {
    let connection: any Connection
    private let view: DirectoryCache.View?

    /// - Parameter view: what is kept of them, taken before the transaction began.
    package init(_ connection: any Connection, _ view: DirectoryCache.View? = nil) {
        (self.connection, self.view) = (connection, view)
    }

    package func find(_ id: ClientID, tenant: TenantID) throws -> Client? {
        try view.map { try $0.client(id, tenant: tenant) { try read(id, tenant) } } ?? read(id, tenant)
    }

    private func read(_ id: ClientID, _ tenant: TenantID) throws -> Client? {
        try connection.row(
            """
            SELECT id, displayName, isBroker, isConfidential, tokenAlgorithm, accountEnabled FROM client
            WHERE tenant = \(tenant) AND id = \(id)
            """
        ).map { try client($0, tenant: tenant) }
    }

    /// An application that may ask for something.
    ///
    /// - Throws: ``OAuthError`` `unknownClient` or `disabledClient`, ``StorageError``
    package func usable(_ id: ClientID, tenant: TenantID) throws -> Client {
        guard let client = try find(id, tenant: tenant) else { throw OAuthError.unknownClient }
        guard client.isEnabled else { throw OAuthError.disabledClient }
        return client
    }

    package func all(tenant: TenantID) throws -> [Client] {
        try connection.rows(
            """
            SELECT id, displayName, isBroker, isConfidential, tokenAlgorithm, accountEnabled FROM client
            WHERE tenant = \(tenant) ORDER BY displayName, id
            """
        ).map { try client($0, tenant: tenant) }
    }

    func add(_ client: Client, at time: Timestamp) throws {
        try connection.announce(RegistrationChange())
        try connection.execute(
            """
            INSERT INTO client (tenant, id, displayName, isBroker, isConfidential, tokenAlgorithm, accountEnabled,
                created)
            VALUES (\(client.tenant), \(client.id), \(client.displayName), \(client.isBroker), \(!client.isPublic),
                \(client.tokenAlgorithm), \(client.isEnabled), \(time))
            """)
        try addAddresses(of: client)
        try addPermissions(of: client)
    }

    private func addAddresses(of client: Client) throws {
        for uri in Set(client.redirectURIs) {
            try connection.execute(
                "INSERT INTO clientRedirect (tenant, client, uri) VALUES (\(client.tenant), \(client.id), \(uri))")
        }
        for uri in Set(client.logoutURIs) {
            try connection.execute(
                """
                INSERT INTO clientLogoutRedirect (tenant, client, uri)
                VALUES (\(client.tenant), \(client.id), \(uri))
                """)
        }
    }

    private func addPermissions(of client: Client) throws {
        for resource in Set(client.resources) {
            try connection.execute(
                """
                INSERT INTO clientResource (tenant, client, resource)
                VALUES (\(client.tenant), \(client.id), \(resource))
                """)
        }
        for permission in Set(client.permissions) {
            try connection.execute(
                """
                INSERT INTO clientPermission (tenant, client, permission)
                VALUES (\(client.tenant), \(client.id), \(permission))
                """)
        }
    }

    /// Lets an application have something, or nothing any more.
    func setEnabled(_ isEnabled: Bool, _ id: ClientID, tenant: TenantID) throws {
        try connection.announce(RegistrationChange())
        try connection.execute(
            "UPDATE client SET accountEnabled = \(isEnabled) WHERE tenant = \(tenant) AND id = \(id)")
    }

    func remove(_ id: ClientID, tenant: TenantID) throws {
        try connection.announce(RegistrationChange())
        try connection.execute("DELETE FROM client WHERE tenant = \(tenant) AND id = \(id)")
    }

    private func client(_ row: Row, tenant: TenantID) throws -> Client {
        let id = try row.value(0, as: ClientID.self)
        let uris = try connection.rows(
            "SELECT uri FROM clientRedirect WHERE tenant = \(tenant) AND client = \(id) ORDER BY uri")
        let returns = try connection.rows(
            "SELECT uri FROM clientLogoutRedirect WHERE tenant = \(tenant) AND client = \(id) ORDER BY uri")
        let resources = try connection.rows(
            "SELECT resource FROM clientResource WHERE tenant = \(tenant) AND client = \(id) ORDER BY resource")
        let permissions = try connection.rows(
            "SELECT permission FROM clientPermission WHERE tenant = \(tenant) AND client = \(id) ORDER BY permission")
        return Client(
            tenant: tenant, id: id, displayName: try row.text(1), redirectURIs: try uris.map { try $0.text(0) },
            logoutURIs: try returns.map { try $0.text(0) }, resources: try resources.map { try $0.value(0) },
            permissions: try permissions.map { try $0.text(0) }, isBroker: try row.flag(2),
            isPublic: try !row.flag(3), isEnabled: try row.flag(5), tokenAlgorithm: try row.value(4))
    }
}
