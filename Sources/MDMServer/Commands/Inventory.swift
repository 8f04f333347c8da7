// SPDX-License-Identifier: Apache-2.0
internal import DeviceManagement
internal import Storage

/// What a device said that it holds.
struct Inventory {
    let connection: any Connection
    let tenant: String
    let udid: String

    /// Takes over what an answer tells.
    func record(_ answer: CommandResult.Answer?) throws {
        switch answer {
        case .profiles(let profiles): try replace(profiles)
        case .managedApps(let apps): try replace(apps)
        case .installation(let identifier?, let state): try set(identifier, state: state)
        case .installation, .settings, .information, nil: break
        }
    }

    func profiles() throws -> [(identifier: String, uuid: String)] {
        try connection.rows(
            "SELECT identifier, uuid FROM heldProfile WHERE tenant = \(tenant) AND udid = \(udid) ORDER BY identifier"
        ).map { (try $0.text(0), try $0.text(1)) }
    }

    func apps() throws -> [(identifier: String, state: String, hasConfiguration: Bool)] {
        try connection.rows(
            """
            SELECT identifier, state, hasConfiguration FROM heldApp
            WHERE tenant = \(tenant) AND udid = \(udid) ORDER BY identifier
            """
        ).map { (try $0.text(0), try $0.text(1), try $0.flag(2)) }
    }

    private func replace(_ profiles: [InstalledProfile]) throws {
        try connection.execute("DELETE FROM heldProfile WHERE tenant = \(tenant) AND udid = \(udid)")
        for profile in profiles {
            try connection.execute(
                """
                INSERT INTO heldProfile (tenant, udid, identifier, uuid)
                VALUES (\(tenant), \(udid), \(profile.identifier), \(profile.uuid))
                ON CONFLICT (tenant, udid, identifier) DO UPDATE SET uuid = excluded.uuid
                """)
        }
    }

    private func replace(_ apps: [ManagedAppStatus]) throws {
        try connection.execute("DELETE FROM heldApp WHERE tenant = \(tenant) AND udid = \(udid)")
        for app in apps { try insert(app.identifier, state: app.state, hasConfiguration: app.hasConfiguration) }
    }

    private func set(_ identifier: String, state: AppState) throws {
        try connection.execute(
            """
            INSERT INTO heldApp (tenant, udid, identifier, state, hasConfiguration)
            VALUES (\(tenant), \(udid), \(identifier), \(state.name), \(false))
            ON CONFLICT (tenant, udid, identifier) DO UPDATE SET state = excluded.state
            """)
    }

    private func insert(_ identifier: String, state: AppState, hasConfiguration: Bool) throws {
        try connection.execute(
            """
            INSERT INTO heldApp (tenant, udid, identifier, state, hasConfiguration)
            VALUES (\(tenant), \(udid), \(identifier), \(state.name), \(hasConfiguration))
            """)
    }
}
