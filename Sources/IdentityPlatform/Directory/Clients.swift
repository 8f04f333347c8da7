// SPDX-License-Identifier: Apache-2.0
package import Storage

/// The application registrations of one transaction.
package struct Clients {
    let connection: any Connection

    package init(_ connection: any Connection) { self.connection = connection }

    package func find(_ id: ClientID, tenant: TenantID) throws -> Client? {
        try connection.row(
            """
            SELECT id, displayName, isBroker, isConfidential, tokenAlgorithm FROM client
            WHERE tenant = \(tenant) AND id = \(id)
            """
        ).map { try client($0, tenant: tenant) }
    }

    /// Whether an application is still registered.
    func contains(_ id: ClientID, tenant: TenantID) throws -> Bool {
        try connection.row("SELECT 1 FROM client WHERE tenant = \(tenant) AND id = \(id)") != nil
    }

    func all(tenant: TenantID) throws -> [Client] {
        try connection.rows(
            """
            SELECT id, displayName, isBroker, isConfidential, tokenAlgorithm FROM client
            WHERE tenant = \(tenant) ORDER BY displayName, id
            """
        ).map { try client($0, tenant: tenant) }
    }

    func add(_ client: Client, at time: Timestamp) throws {
        try connection.execute(
            """
            INSERT INTO client (tenant, id, displayName, isBroker, isConfidential, tokenAlgorithm, created)
            VALUES (\(client.tenant), \(client.id), \(client.displayName), \(client.isBroker), \(!client.isPublic),
                \(client.tokenAlgorithm), \(time))
            """)
        for uri in Set(client.redirectURIs) {
            try connection.execute(
                "INSERT INTO clientRedirect (tenant, client, uri) VALUES (\(client.tenant), \(client.id), \(uri))")
        }
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

    func remove(_ id: ClientID, tenant: TenantID) throws {
        try connection.execute("DELETE FROM client WHERE tenant = \(tenant) AND id = \(id)")
    }

    private func client(_ row: Row, tenant: TenantID) throws -> Client {
        let id = try row.value(0, as: ClientID.self)
        let uris = try connection.rows(
            "SELECT uri FROM clientRedirect WHERE tenant = \(tenant) AND client = \(id) ORDER BY uri")
        let resources = try connection.rows(
            "SELECT resource FROM clientResource WHERE tenant = \(tenant) AND client = \(id) ORDER BY resource")
        let permissions = try connection.rows(
            "SELECT permission FROM clientPermission WHERE tenant = \(tenant) AND client = \(id) ORDER BY permission")
        return Client(
            tenant: tenant, id: id, displayName: try row.text(1), redirectURIs: try uris.map { try $0.text(0) },
            resources: try resources.map { try $0.value(0) }, permissions: try permissions.map { try $0.text(0) },
            isBroker: try row.flag(2), isPublic: try !row.flag(3), tokenAlgorithm: try row.value(4))
    }
}
