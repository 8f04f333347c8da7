// SPDX-License-Identifier: Apache-2.0
package import Storage

enum RoleMember: Table {
    static let table = "roleMember"
    enum Column: String, ColumnName { case tenant, role, person }
}

/// Access to the members of directory roles in one transaction.
package struct RoleMembers {
    private let connection: any Connection

    package init(_ connection: any Connection) { self.connection = connection }

    /// Returns the template ids of a person's roles, for `wids`.
    package func roles(of user: UserID, tenant: TenantID) throws -> [RoleID] {
        try connection.values(
            .role, of: RoleMember.self, "WHERE tenant = \(tenant) AND person = \(user) ORDER BY role")
    }

    /// Returns the template ids of the roles of several people.
    ///
    /// - Throws: ``StorageError``
    func roles(of users: [UserID], tenant: TenantID) throws -> [UserID: Set<RoleID>] {
        let rows = try connection.rows(
            "SELECT person, role FROM roleMember WHERE tenant = \(tenant) AND person IN \(SQL.list(users))")
        return try rows.reduce(into: [:]) { roles, row in
            let person: UserID = try row["person"]
            roles[person, default: []].insert(try row["role"])
        }
    }

    func members(of role: RoleID, tenant: TenantID) throws -> [UserID] {
        try connection.values(
            .person, of: RoleMember.self, "WHERE tenant = \(tenant) AND role = \(role) ORDER BY person")
    }

    /// Returns people who have a role and are enabled, at most `limit` of them.
    ///
    /// - Throws: ``StorageError``
    func enabledMembers(of role: DirectoryRole, tenant: TenantID, limit: Int) throws -> [UserID] {
        let rows = try connection.rows(
            """
            SELECT person.id AS id FROM roleMember
            JOIN person ON person.tenant = roleMember.tenant AND person.id = roleMember.person
            WHERE roleMember.tenant = \(tenant) AND roleMember.role = \(role.id) AND person.accountEnabled = \(true)
            ORDER BY roleMember.person LIMIT \(limit)
            """)
        return try rows.map { try $0["id"] }
    }

    /// Assigns a role. It is not an error if the person already has it.
    ///
    /// - Returns: whether the person did not have it before.
    @discardableResult
    package func assign(_ role: DirectoryRole, to user: UserID, tenant: TenantID) throws -> Bool {
        try connection.insert(
            into: RoleMember.self, [.tenant: tenant, .role: role.id, .person: user],
            "ON CONFLICT (tenant, role, person) DO NOTHING") == 1
    }

    /// Removes a role from a person. It is not an error if the person does not have it.
    ///
    /// - Returns: whether the person had it.
    func unassign(_ role: DirectoryRole, from user: UserID, tenant: TenantID) throws -> Bool {
        try connection.execute(
            "DELETE FROM roleMember WHERE tenant = \(tenant) AND role = \(role.id) AND person = \(user)") == 1
    }
}
