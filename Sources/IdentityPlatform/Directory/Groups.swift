// SPDX-License-Identifier: Apache-2.0
internal import AdminServer
package import Storage

extension Group: Record {
    package static let table = "directoryGroup"
    package enum Column: String, ColumnName { case tenant, id, displayName, mailNickname, description, created }

    package init(_ row: TableRow<Group>) throws {
        self.init(
            tenant: try row[.tenant], id: try row[.id], displayName: try row[.displayName],
            mailNickname: try row[.mailNickname], description: try row[.description], created: try row[.created])
    }
}

enum GroupMember: Table {
    static let table = "groupMember"
    enum Column: String, ColumnName { case tenant, directoryGroup, person }
}

enum GroupDevice: Table {
    static let table = "groupDevice"
    enum Column: String, ColumnName { case tenant, directoryGroup, device }
}

/// Access to the groups, their members and their devices in one transaction.
package struct Groups {
    private let connection: any Connection

    package init(_ connection: any Connection) { self.connection = connection }

    func find(_ id: GroupID, tenant: TenantID) throws -> Group? {
        try connection.record(Group.self, "WHERE tenant = \(tenant) AND id = \(id)")
    }

    /// Returns the groups of an organisation, sorted by name.
    func all(tenant: TenantID) throws -> [Group] {
        try connection.records(Group.self, "WHERE tenant = \(tenant) ORDER BY displayName, id")
    }

    /// Returns a page of the groups, in the order of their names, and one group more if there is another page.
    ///
    /// - Throws: ``OperationRefusal``, ``StorageError``
    func all(tenant: TenantID, on page: PageRequest) throws -> [Group] {
        let selection = try page.selection(orderedBy: Group.Column.displayName, .id)
        return try connection.records(Group.self, "WHERE tenant = \(tenant) \(selection)")
    }

    func members(of group: GroupID, tenant: TenantID) throws -> [UserID] {
        try connection.values(
            .person, of: GroupMember.self,
            "WHERE tenant = \(tenant) AND directoryGroup = \(group) ORDER BY person")
    }

    func add(_ group: Group) throws {
        try connection.insert(
            into: Group.self,
            [
                .tenant: group.tenant, .id: group.id, .displayName: group.displayName,
                .mailNickname: group.mailNickname, .description: group.description, .created: group.created,
            ])
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

    /// Returns the groups of a person.
    ///
    /// - Throws: ``StorageError``
    func groups(of person: UserID, tenant: TenantID) throws -> [Group] {
        try connection.values(
            .directoryGroup, of: GroupMember.self,
            "WHERE tenant = \(tenant) AND person = \(person) ORDER BY directoryGroup"
        ).compactMap { try find($0, tenant: tenant) }
    }

    /// - Returns: whether the person was not in the group before.
    func addMember(_ person: UserID, to group: GroupID, tenant: TenantID) throws -> Bool {
        try connection.insert(
            into: GroupMember.self, [.tenant: tenant, .directoryGroup: group, .person: person],
            "ON CONFLICT (tenant, directoryGroup, person) DO NOTHING") == 1
    }

    /// - Returns: whether the person was in the group.
    func removeMember(_ person: UserID, from group: GroupID, tenant: TenantID) throws -> Bool {
        try connection.execute(
            """
            DELETE FROM groupMember
            WHERE tenant = \(tenant) AND directoryGroup = \(group) AND person = \(person)
            """) == 1
    }

    // MARK: Devices

    /// Returns a page of a group's devices, in the order of their names, and one device more if there is another page.
    ///
    /// - Throws: ``OperationRefusal``, ``StorageError``
    func devices(of group: GroupID, tenant: TenantID, on page: PageRequest) throws -> [Device] {
        let selection = try page.selection(orderedBy: Device.Column.displayName, .id)
        return try connection.records(
            Device.self,
            """
            WHERE tenant = \(tenant) AND id IN
                (SELECT device FROM groupDevice WHERE tenant = \(tenant) AND directoryGroup = \(group)) \(selection)
            """)
    }

    /// Returns the number of devices in each of some groups that has any.
    ///
    /// - Throws: ``StorageError``
    func deviceCounts(of groups: [GroupID], tenant: TenantID) throws -> [GroupID: Int] {
        let rows = try connection.rows(
            """
            SELECT directoryGroup, COUNT(*) AS devices FROM groupDevice
            WHERE tenant = \(tenant) AND directoryGroup IN \(SQL.list(groups)) GROUP BY directoryGroup
            """)
        return try rows.reduce(into: [:]) { counts, row in
            let group: GroupID = try row["directoryGroup"]
            counts[group] = try row["devices"]
        }
    }

    /// Returns the names of the groups that each of some devices is in, sorted.
    ///
    /// - Throws: ``StorageError``
    func names(ofGroupsWith devices: [DeviceID], tenant: TenantID) throws -> [DeviceID: [String]] {
        let rows = try connection.rows(
            """
            SELECT groupDevice.device AS device, directoryGroup.displayName AS displayName FROM groupDevice
            JOIN directoryGroup ON directoryGroup.tenant = groupDevice.tenant
                AND directoryGroup.id = groupDevice.directoryGroup
            WHERE groupDevice.tenant = \(tenant) AND groupDevice.device IN \(SQL.list(devices))
            ORDER BY directoryGroup.displayName, directoryGroup.id
            """)
        return try rows.reduce(into: [:]) { names, row in
            let device: DeviceID = try row["device"]
            names[device, default: []].append(try row["displayName"])
        }
    }

    /// - Returns: whether the device was not in the group before.
    func add(_ device: DeviceID, to group: GroupID, tenant: TenantID) throws -> Bool {
        try connection.insert(
            into: GroupDevice.self, [.tenant: tenant, .directoryGroup: group, .device: device],
            "ON CONFLICT (tenant, directoryGroup, device) DO NOTHING") == 1
    }

    /// - Returns: whether the device was in the group.
    func remove(_ device: DeviceID, from group: GroupID, tenant: TenantID) throws -> Bool {
        try connection.execute(
            """
            DELETE FROM groupDevice
            WHERE tenant = \(tenant) AND directoryGroup = \(group) AND device = \(device)
            """) == 1
    }
}
