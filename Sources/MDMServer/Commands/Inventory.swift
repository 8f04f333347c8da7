// SPDX-License-Identifier: Apache-2.0
internal import DeviceManagement
internal import Storage

/// A profile that a device said it has.
struct HeldProfile: Record {
    let identifier: String
    let uuid: String

    static let table = "heldProfile"
    enum Column: String, ColumnName { case tenant, udid, identifier, uuid }

    init(_ row: TableRow<HeldProfile>) throws { (identifier, uuid) = (try row[.identifier], try row[.uuid]) }
}

/// An app that a device said it has.
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

/// What a device said that it holds.
struct Inventory {
    let connection: any Connection
    let tenant: TenantID
    let udid: UDID

    /// Takes over what an answer tells.
    func record(_ answer: CommandResult.Answer?) throws {
        switch answer {
        case .profiles(let profiles): try replace(profiles)
        case .managedApps(let apps): try replace(apps)
        case .installation(let identifier?, let state): try set(identifier, state: state)
        case .installation, .settings, .information, nil: break
        }
    }

    func profiles() throws -> [HeldProfile] {
        try connection.records(
            HeldProfile.self, "WHERE tenant = \(tenant) AND udid = \(udid) ORDER BY identifier")
    }

    func apps() throws -> [HeldApp] {
        try connection.records(HeldApp.self, "WHERE tenant = \(tenant) AND udid = \(udid) ORDER BY identifier")
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
