// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import Storage

/// Finds the objects that administrators name, by the rule of ``ObjectName``. One statement finds an object, and reads
/// index entries of the objects that the name can mean, and no others.
struct NamedItems {
    let connection: any Connection

    init(_ connection: any Connection) { self.connection = connection }

    // MARK: Tenants

    /// Returns the tenant that has this id or domain.
    ///
    /// - Throws: ``MDMAdminRefusal`` `noTenant`, ``StorageError``
    func tenant(_ name: ObjectName) throws -> TenantID {
        let condition: SQL =
            if let id = name.guid { "id = \(id)" } else { "domain = \(name.text.lowercased())" }
        let found: TenantID? = try connection.value(
            .id, of: Organization.self, "WHERE \(condition) AND removed IS NULL")
        guard let found else { throw MDMAdminRefusal(.noTenant, "There is no tenant \(name.text).") }
        return found
    }

    /// Returns the server's only tenant.
    ///
    /// - Throws: ``MDMAdminRefusal`` `noTenants` or `ambiguousTenant`, ``StorageError``
    func onlyTenant() throws -> TenantID {
        let found = try connection.named(
            Organization.self, by: .domain, limit: AdminFailure.Candidates.limit, in: [["removed IS NULL"]])
        let only = try found.only { several in
            let candidates = several.candidates { .init(id: $0.id.rawValue, name: $0.address) }
            let (message, remedy) = AdminFailure.ambiguousTenant(candidates)
            return MDMAdminRefusal(.ambiguousTenant, message, remedy: remedy, candidates: candidates)
        }
        guard let only else { throw MDMAdminRefusal(.noTenants) }
        return only.id
    }

    // MARK: Devices

    /// Returns the devices with a device id, an object id, a UDID, a name in the directory or in device management, or a
    /// serial number. After a device has left, its names and its serial number can belong to another one.
    ///
    /// - Throws: ``StorageError``
    func devices(_ name: ObjectName, tenant: TenantID) throws -> NamedRecords<DeviceRecord> {
        let own: SQL = "tenant = \(tenant)"
        let present: SQL = "\(own) AND state <> \(DeviceRecord.State.left)"
        var steps: [[SQL]] = []
        if let guid = name.guid {
            steps += [["\(own) AND directoryID = \(guid)"], ["\(own) AND directoryObjectID = \(guid)"]]
        }
        steps += [["\(own) AND udid = \(name.text)"], name.otherCases.map { "\(own) AND udid = \($0)" }]
        if !name.isID {
            steps.append([
                "\(present) AND \(Self.indexed("name", name))", "\(present) AND directoryName = \(name.text)",
                "\(present) AND \(Self.indexed("serialNumber", name))",
            ])
        }
        return try connection.named(DeviceRecord.self, by: .udid, limit: AdminFailure.Candidates.limit, in: steps)
    }

    // MARK: Profiles and apps

    /// Returns the identifier of the stored profile that has this identifier, or of the only one that has this name;
    /// nil if there is none.
    ///
    /// - Throws: ``MDMAdminRefusal`` `ambiguousProfile`, ``StorageError``
    func profile(_ name: ObjectName, tenant: TenantID) throws -> String? {
        let own: SQL = "tenant = \(tenant)"
        var steps: [[SQL]] = [["\(own) AND identifier = \(name.text)"]]
        if !name.isID { steps.append(["\(own) AND \(Self.indexed("displayName", name))"]) }
        let found = try connection.named(
            NamedProfile.self, by: .identifier, limit: AdminFailure.Candidates.limit, in: steps)
        return try found.only { several in
            let candidates = several.candidates { .init(id: $0.identifier, name: $0.displayName ?? "") }
            return MDMAdminRefusal(
                .ambiguousProfile, "Several profiles are called \(name.text): \(candidates.words).",
                candidates: candidates)
        }?.identifier
    }

    /// Returns the identifier of a profile that a device has, or is to have. A profile that is no longer stored is named
    /// by its identifier.
    ///
    /// - Throws: ``MDMAdminRefusal`` `ambiguousProfile`, ``StorageError``
    func profile(_ name: ObjectName, on device: UDID, tenant: TenantID) throws -> String {
        let isHeld = try connection.exists(
            HeldProfile.self, "WHERE tenant = \(tenant) AND udid = \(device) AND identifier = \(name.text)")
        return isHeld ? name.text : try profile(name, tenant: tenant) ?? name.text
    }

    /// Returns the bundle identifier of the app that has this bundle identifier, or of the only one that has this
    /// title; nil if there is none.
    ///
    /// - Throws: ``MDMAdminRefusal`` `ambiguousApp`, ``StorageError``
    func app(_ name: ObjectName, tenant: TenantID) throws -> String? {
        let own: SQL = "tenant = \(tenant)"
        var steps: [[SQL]] = [["\(own) AND bundleIdentifier = \(name.text)"]]
        if !name.isID { steps.append(["\(own) AND \(Self.indexed("title", name))"]) }
        let found = try connection.named(
            NamedApp.self, by: .bundleIdentifier, limit: AdminFailure.Candidates.limit, in: steps)
        return try found.only { several in
            let candidates = several.candidates { .init(id: $0.bundleIdentifier, name: name.text) }
            return MDMAdminRefusal(
                .ambiguousApp, "Several apps are called \(name.text): \(candidates.words).", candidates: candidates)
        }?.bundleIdentifier
    }

    /// Returns the bundle identifier of an app that a device has, or is to have. An app without a package is named by
    /// its bundle identifier.
    ///
    /// - Throws: ``MDMAdminRefusal`` `ambiguousApp`, ``StorageError``
    func app(_ name: ObjectName, on device: UDID, tenant: TenantID) throws -> String {
        let isHeld = try connection.exists(
            HeldApp.self, "WHERE tenant = \(tenant) AND udid = \(device) AND identifier = \(name.text)")
        return isHeld ? name.text : try app(name, tenant: tenant) ?? name.text
    }

    /// Returns the condition that a column holds the name, in the form that lets the databases use the column's index.
    /// A longer name is in no index, so it names nothing.
    private static func indexed(_ column: SQL, _ name: ObjectName) -> SQL {
        "\(column) = \(name.text) AND length(\(column)) <= 256"
    }
}

/// A profile that an administrator has named.
private struct NamedProfile: Record {
    let identifier: String
    let displayName: String?

    static let table = Profiles.Entry.table
    static let unread: Set<Column> = [.tenant]
    enum Column: String, ColumnName { case tenant, identifier, displayName }

    init(_ row: TableRow<NamedProfile>) throws {
        (identifier, displayName) = (try row[.identifier], try row[.displayName])
    }
}

/// An app that an administrator has named, without its versions.
private struct NamedApp: Record {
    let bundleIdentifier: String

    static let table = OfferedApp.table
    static let unread: Set<Column> = [.tenant]
    enum Column: String, ColumnName { case tenant, bundleIdentifier }

    init(_ row: TableRow<NamedApp>) throws { bundleIdentifier = try row[.bundleIdentifier] }
}

extension NamedRecords {
    /// Describes the records for the refusal of a name that can mean several of them.
    func candidates(_ candidate: (Item) -> AdminFailure.Candidate) -> AdminFailure.Candidates {
        AdminFailure.Candidates(records.map(candidate), of: count)
    }
}
