// SPDX-License-Identifier: Apache-2.0
package import Storage

/// The groups of one transaction and who is in them.
package struct Groups {
    private let connection: any Connection

    package init(_ connection: any Connection) { self.connection = connection }

    func find(_ id: GroupID, tenant: TenantID) throws -> Group? {
        try connection.row(
            """
            SELECT tenant, id, displayName, mailNickname, description, created FROM directoryGroup
            WHERE tenant = \(tenant) AND id = \(id)
            """
        ).map { row in
            Group(
                tenant: try row.value(0), id: try row.value(1), displayName: try row.text(2),
                mailNickname: try row.text(3), description: try row.optionalText(4), created: try row.value(5))
        }
    }

    /// The groups of an organisation, by name.
    func all(tenant: TenantID) throws -> [Group] {
        try connection.rows(
            "SELECT id FROM directoryGroup WHERE tenant = \(tenant) ORDER BY displayName, id"
        ).compactMap { try find(try $0.value(0), tenant: tenant) }
    }

    func members(of group: GroupID, tenant: TenantID) throws -> [UserID] {
        try connection.rows(
            "SELECT person FROM groupMember WHERE tenant = \(tenant) AND directoryGroup = \(group) ORDER BY person"
        ).map { try $0.value(0) }
    }

    func add(_ group: Group) throws {
        try connection.execute(
            """
            INSERT INTO directoryGroup (tenant, id, displayName, mailNickname, description, created)
            VALUES (\(group.tenant), \(group.id), \(group.displayName), \(group.mailNickname), \(group.description),
                \(group.created))
            """)
    }

    func update(_ group: Group) throws {
        try connection.execute(
            """
            UPDATE directoryGroup SET displayName = \(group.displayName), mailNickname = \(group.mailNickname),
                description = \(group.description)
            WHERE tenant = \(group.tenant) AND id = \(group.id)
            """)
    }

    /// - Returns: whether there was such a group.
    func remove(_ id: GroupID, tenant: TenantID) throws -> Bool {
        try connection.execute("DELETE FROM directoryGroup WHERE tenant = \(tenant) AND id = \(id)") == 1
    }

    /// The groups that a person is in.
    ///
    /// - Throws: ``StorageError``
    func groups(of person: UserID, tenant: TenantID) throws -> [Group] {
        try connection.rows(
            "SELECT directoryGroup FROM groupMember WHERE tenant = \(tenant) AND person = \(person) ORDER BY directoryGroup"
        ).compactMap { try find(try $0.value(0), tenant: tenant) }
    }

    /// - Returns: whether the person was not in the group before.
    func addMember(_ person: UserID, to group: GroupID, tenant: TenantID) throws -> Bool {
        try connection.execute(
            """
            INSERT INTO groupMember (tenant, directoryGroup, person) VALUES (\(tenant), \(group), \(person))
            ON CONFLICT (tenant, directoryGroup, person) DO NOTHING
            """) == 1
    }

    /// - Returns: whether the person was in the group.
    func removeMember(_ person: UserID, from group: GroupID, tenant: TenantID) throws -> Bool {
        try connection.execute(
            """
            DELETE FROM groupMember
            WHERE tenant = \(tenant) AND directoryGroup = \(group) AND person = \(person)
            """) == 1
    }
}
