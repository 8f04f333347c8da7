// SPDX-License-Identifier: Apache-2.0
package import Storage

/// A permission that an application has for itself, without a person. A Global Administrator granted it.
package struct ApplicationPermission: Record {
    package let permission: String
    package let granted: Timestamp

    package static let table = "applicationPermission"
    package static let unread: Set<Column> = [.tenant, .client]
    package enum Column: String, ColumnName { case tenant, client, permission, granted }

    package init(_ row: TableRow<ApplicationPermission>) throws {
        (permission, granted) = (try row[.permission], try row[.granted])
    }
}

/// Access to the applications' own permissions in one transaction. They are never cached, so a permission that was
/// revoked no longer counts in the next request.
package struct ApplicationPermissions {
    private let connection: any Connection

    package init(_ connection: any Connection) { self.connection = connection }

    /// Returns the permissions of an application, in alphabetical order.
    package func all(of client: ClientID, tenant: TenantID) throws -> [ApplicationPermission] {
        try connection.records(
            ApplicationPermission.self, "WHERE tenant = \(tenant) AND client = \(client) ORDER BY permission")
    }

    /// Returns the names of the permissions of an application, in alphabetical order.
    func names(of client: ClientID, tenant: TenantID) throws -> [String] {
        try all(of: client, tenant: tenant).map(\.permission)
    }

    /// - Returns: false if the application had the permission already.
    func grant(_ permission: String, to client: Client, at time: Timestamp) throws -> Bool {
        try connection.insert(
            into: ApplicationPermission.self,
            [.tenant: client.tenant, .client: client.id, .permission: permission, .granted: time],
            "ON CONFLICT (tenant, client, permission) DO NOTHING") == 1
    }

    /// - Returns: false if the application did not have the permission.
    func revoke(_ permission: String, from client: Client) throws -> Bool {
        try connection.execute(
            """
            DELETE FROM applicationPermission
            WHERE tenant = \(client.tenant) AND client = \(client.id) AND permission = \(permission)
            """) == 1
    }
}
