// SPDX-License-Identifier: Apache-2.0
internal import MDMProtocol
internal import Storage

/// A profile that a device reported as installed.
struct HeldProfile: Record {
    let identifier: String
    let uuid: String

    static let table = "heldProfile"
    enum Column: String, ColumnName { case tenant, udid, identifier, uuid }

    init(_ row: TableRow<HeldProfile>) throws { (identifier, uuid) = (try row[.identifier], try row[.uuid]) }
}

/// An app that a device reported as managed.
struct HeldApp: Record {
    let identifier: String
    let state: String
    let hasConfiguration: Bool

    static let table = "heldApp"
    enum Column: String, ColumnName { case tenant, udid, identifier, state, hasConfiguration }

    init(_ row: TableRow<HeldApp>) throws {
        (identifier, state) = (try row[.identifier], try row[.state])
        hasConfiguration = try row[.hasConfiguration]
    }
}

/// The lists of a device's inventory that may be out of date. The server requests them once the device has finished all
/// other commands, so that several changes cause only one request.
struct DueInventory: OptionSet, Sendable {
    let rawValue: Int64

    static let profiles = DueInventory(rawValue: 1)
    static let apps = DueInventory(rawValue: 2)
    static let all: DueInventory = [.profiles, .apps]

    /// The commands that request the due lists.
    var commands: [MDMProtocol.Command] {
        (contains(.profiles) ? [.profileList(managedOnly: false)] : [])
            + (contains(.apps) ? [.managedApplicationList(identifiers: nil)] : [])
    }

    /// Returns the lists that are due after the final result of a command. The result of an inventory request makes no
    /// list due. After that result, the requested list is no longer due, even if the device could not report it;
    /// otherwise the server would request the list again and again.
    func after(_ requestType: String, _ status: CommandResult.Status) -> DueInventory {
        switch MDMProtocol.Command.RequestType(rawValue: requestType) {
        case .profileList: subtracting(.profiles)
        case .managedApplicationList: subtracting(.apps)
        case .installProfile, .removeProfile: status == .acknowledged ? union(.profiles) : self
        case .installApplication, .settings: status == .acknowledged ? union(.apps) : self
        case .deviceInformation, nil: self
        }
    }
}

extension DueInventory: ColumnValue {
    init?(column: SQL.Value) {
        guard let value = Int64(column: column) else { return nil }
        self.init(rawValue: value)
    }

    var column: SQL.Value { rawValue.column }
}

/// The profiles and apps that a device reported.
struct Inventory {
    let connection: any Connection
    let tenant: TenantID
    let udid: UDID

    /// Stores the inventory in a result.
    func record(_ answer: CommandResult.Answer?) throws {
        switch answer {
        case .profiles(let profiles): try replace(profiles)
        case .managedApps(let apps): try replace(apps)
        case .installation(let identifier?, let state?, _): try set(identifier, state: state)
        case .installation, .settings, .information, nil: break
        }
    }

    /// Stores which lists may be out of date.
    func note(_ due: DueInventory) throws {
        try connection.execute(
            "UPDATE device SET dueInventory = \(due) WHERE tenant = \(tenant) AND udid = \(udid)")
    }

    func profiles() throws -> [HeldProfile] {
        try connection.records(
            HeldProfile.self, "WHERE tenant = \(tenant) AND udid = \(udid) ORDER BY identifier")
    }

    private func replace(_ profiles: [InstalledProfile]) throws {
        try connection.execute("DELETE FROM heldProfile WHERE tenant = \(tenant) AND udid = \(udid)")
        for profile in profiles {
            try connection.upsert(
                into: HeldProfile.self, key: [.tenant, .udid, .identifier],
                [.tenant: tenant, .udid: udid, .identifier: profile.identifier, .uuid: profile.uuid])
        }
    }

    private func replace(_ apps: [ManagedAppStatus]) throws {
        try connection.execute("DELETE FROM heldApp WHERE tenant = \(tenant) AND udid = \(udid)")
        for app in apps { try insert(app.identifier, app.state, hasConfiguration: app.hasConfiguration) }
    }

    private func set(_ identifier: String, state: AppState) throws {
        try insert(
            identifier, state, hasConfiguration: false,
            orElse: "ON CONFLICT (tenant, udid, identifier) DO UPDATE SET state = excluded.state")
    }

    private func insert(
        _ identifier: String, _ state: AppState, hasConfiguration: Bool, orElse rest: SQL = ""
    ) throws {
        try connection.insert(
            into: HeldApp.self,
            [
                .tenant: tenant, .udid: udid, .identifier: identifier, .state: state.name,
                .hasConfiguration: hasConfiguration,
            ], rest)
    }
}
