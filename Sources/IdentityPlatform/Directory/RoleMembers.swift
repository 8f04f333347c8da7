// SPDX-License-Identifier: Apache-2.0
package import Storage

/// Who holds which directory role, in one transaction.
package struct RoleMembers {
    private let connection: any Connection

    package init(_ connection: any Connection) { self.connection = connection }

    /// The template ids of a person's roles, for `wids`.
    package func roles(of user: UserID, tenant: TenantID) throws -> [RoleID] {
        try connection.rows(
            "SELECT role FROM roleMember WHERE tenant = \(tenant) AND person = \(user) ORDER BY role"
        ).map { try $0.value(0) }
    }

    func members(of role: RoleID, tenant: TenantID) throws -> [UserID] {
        try connection.rows(
            "SELECT person FROM roleMember WHERE tenant = \(tenant) AND role = \(role) ORDER BY person"
        ).map { try $0.value(0) }
    }

    /// Gives a role; again is no error.
    package func assign(_ role: DirectoryRole, to user: UserID, tenant: TenantID) throws {
        try connection.execute(
            """
            INSERT INTO roleMember (tenant, role, person) VALUES (\(tenant), \(role.id), \(user))
            ON CONFLICT (tenant, role, person) DO NOTHING
            """)
    }

    /// Takes a role away; again is no error.
    func unassign(_ role: DirectoryRole, from user: UserID, tenant: TenantID) throws {
        try connection.execute(
            "DELETE FROM roleMember WHERE tenant = \(tenant) AND role = \(role.id) AND person = \(user)")
    }
}
