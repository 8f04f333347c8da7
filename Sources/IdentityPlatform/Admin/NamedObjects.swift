// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import OAuth
internal import Storage

/// Finds the objects that administrators name, by the rule of ``ObjectName``. One statement finds an object, and reads
/// index entries of the objects that the name can mean, and no others.
struct NamedObjects {
    let connection: any Connection

    init(_ connection: any Connection) { self.connection = connection }

    // MARK: Tenants

    /// Returns the tenant that has this id or domain.
    ///
    /// - Throws: ``NamedRefusal`` `noTenant`, ``StorageError``
    func tenant(_ name: ObjectName) throws -> Tenant {
        let tenants = Tenants(connection)
        let found = try TenantID(rawValue: name.text).map(tenants.find) ?? tenants.find(domain: name.text)
        guard let found else { throw AdminRefusal.noTenant.naming("There is no tenant \(name.text).") }
        return found
    }

    /// Returns the server's only tenant.
    ///
    /// - Throws: ``AdminRefusal`` `noTenants`, ``NamedRefusal`` `ambiguousTenant`, ``StorageError``
    func onlyTenant() throws -> Tenant {
        let found = try connection.named(
            Tenant.self, by: .domain, limit: AdminFailure.Candidates.limit, in: [["removed IS NULL"]])
        let only = try found.only { several in
            let candidates = several.candidates { .init(id: $0.id.rawValue, name: $0.domain) }
            let (message, remedy) = AdminFailure.ambiguousTenant(candidates)
            return AdminRefusal.ambiguousTenant.naming(message, remedy, candidates: candidates)
        }
        guard let only else { throw AdminRefusal.noTenants }
        return only
    }

    // MARK: People, groups and applications

    /// Returns the person who has this object id or user principal name.
    ///
    /// - Throws: ``AdminRefusal`` `noUser`, ``StorageError``
    func person(_ name: ObjectName, tenant: Tenant) throws -> User {
        let users = Users(connection)
        let found =
            try UserID(rawValue: name.text).map { try users.find($0, tenant: tenant.id) }
            ?? users.find(name: name.text, tenant: tenant.id)
        guard let found else { throw AdminRefusal.noUser }
        return found
    }

    /// Returns the group that has this id, or the only group that has this name.
    ///
    /// - Throws: ``NamedRefusal`` `noGroup` or `ambiguousGroup`, ``StorageError``
    func group(_ name: ObjectName, tenant: Tenant) throws -> Group {
        let found = try named(Group.self, name, by: .id, displayName: .displayName, tenant: tenant)
        let only = try found.only { several in
            let candidates = several.candidates { .init(id: $0.id.rawValue, name: $0.displayName) }
            return AdminRefusal.ambiguousGroup.naming(
                "Several groups are called \(name.text): \(candidates.words).", candidates: candidates)
        }
        guard let only else { throw AdminRefusal.noGroup.naming("There is no group \(name.text) in \(tenant.domain).") }
        return only
    }

    /// Returns the application that has this client id, or the only application that has this name.
    ///
    /// - Throws: ``NamedRefusal`` `noClient` or `ambiguousClient`, ``StorageError``
    func client(_ name: ObjectName, tenant: Tenant) throws -> Client {
        let found = try named(NamedClient.self, name, by: .id, displayName: .displayName, tenant: tenant)
        let only = try found.only { several in
            let candidates = several.candidates { .init(id: $0.id.rawValue, name: $0.displayName) }
            return AdminRefusal.ambiguousClient.naming(
                "Several clients are called \(name.text): \(candidates.words).", candidates: candidates)
        }
        guard let only, let client = try Clients(connection).find(only.id, tenant: tenant.id) else {
            throw AdminRefusal.noClient.naming("There is no client \(name.text) in \(tenant.domain).")
        }
        return client
    }

    /// Returns the objects that have this id or this display name.
    private func named<Item: Record>(
        _ type: Item.Type, _ name: ObjectName, by id: Item.Column, displayName: Item.Column, tenant: Tenant
    ) throws -> NamedRecords<Item> {
        let own: SQL = "tenant = \(tenant.id)"
        let step: SQL =
            if let guid = name.guid {
                "\(own) AND \(column: id) = \(guid)"
            } else {
                "\(own) AND \(column: displayName) = \(name.text)"
            }
        // A text in the form of another kind of id is not compared with names.
        let steps = name.isID && name.guid == nil ? [] : [[step]]
        return try connection.named(type, by: id, limit: AdminFailure.Candidates.limit, in: steps)
    }

    // MARK: Devices

    /// Returns the devices with a device id, an object id, a UDID, a name in the directory or in device management, or a
    /// serial number.
    ///
    /// - Throws: ``StorageError``
    func devices(_ name: ObjectName, tenant: TenantID) throws -> NamedRecords<NamedDevice> {
        let own: SQL = "tenant = \(tenant)"
        var steps: [[SQL]] = []
        if let guid = name.guid { steps += [["\(own) AND id = \(guid)"], ["\(own) AND objectID = \(guid)"]] }
        steps += [
            ["\(own) AND managedAs = \(name.text)"], name.otherCases.map { "\(own) AND managedAs = \($0)" },
        ]
        if !name.isID {
            steps.append([
                "\(own) AND displayName = \(name.text)", "\(own) AND managedName = \(name.text)",
                "\(own) AND serialNumber = \(name.text)",
            ])
        }
        return try connection.named(NamedDevice.self, by: .id, limit: AdminFailure.Candidates.limit, in: steps)
    }

    /// Returns the devices that have exactly this UDID in device management.
    ///
    /// - Throws: ``StorageError``
    func devices(udid: String, tenant: TenantID) throws -> NamedRecords<NamedDevice> {
        try connection.named(
            NamedDevice.self, by: .id, limit: AdminFailure.Candidates.limit,
            in: [["tenant = \(tenant) AND managedAs = \(udid)"]])
    }
}

/// An application that an administrator has named.
private struct NamedClient: Record {
    let id: ClientID
    let displayName: String

    static let table = Client.table
    static let unread: Set<Column> = [.tenant]
    enum Column: String, ColumnName { case tenant, id, displayName }

    init(_ row: TableRow<NamedClient>) throws { (id, displayName) = (try row[.id], try row[.displayName]) }
}

/// A device of the directory that an administrator has named.
struct NamedDevice: Record {
    let id: DeviceID
    let displayName: String
    /// The device's UDID in device management; nil if the device is not managed.
    let udid: String?

    static let table = Device.table
    static let unread: Set<Column> = [.tenant]
    enum Column: String, ColumnName { case tenant, id, displayName, managedAs }

    init(_ row: TableRow<NamedDevice>) throws {
        (id, displayName, udid) = (try row[.id], try row[.displayName], try row[.managedAs])
    }
}

extension NamedRecords {
    /// Describes the records for the refusal of a name that can mean several of them.
    func candidates(_ candidate: (Item) -> AdminFailure.Candidate) -> AdminFailure.Candidates {
        AdminFailure.Candidates(records.map(candidate), of: count)
    }
}
