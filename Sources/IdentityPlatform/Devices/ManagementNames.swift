// SPDX-License-Identifier: Apache-2.0
package import Storage

/// The names that the directory's devices have in device management.
package struct ManagementNames: Sendable {
    let database: any Database
    let environment: ClockAndRandomness

    /// A managed device and its name in device management.
    package struct Entry: Sendable {
        package let tenant: TenantID
        package let device: DeviceID
        package let name: String

        package init(tenant: TenantID, device: DeviceID, name: String) {
            (self.tenant, self.device, self.name) = (tenant, device, name)
        }
    }

    /// Stores a device's name in device management, or nil if the device is no longer managed. Setting the same name
    /// again has no effect. The caller must have verified that the device proved both its identity in the directory and
    /// its identity in device management.
    ///
    /// - Returns: whether something changed.
    /// - Throws: ``StorageError``
    package func set(_ name: String?, of device: DeviceID, tenant: TenantID) async throws -> Bool {
        let known = try await database.read { try Devices($0).management(of: device, tenant: tenant) }
        guard known != name else { return false }
        let now = environment.now()
        return try await database.write { connection in
            guard try Devices(connection).setManagement(name, of: device, tenant: tenant) else { return false }
            try AuditLog(connection).append(
                name == nil ? .deviceUnmanaged : .deviceManaged, tenant: tenant, actor: AuditLog.server,
                subject: device.rawValue, at: now)
            return true
        }
    }

    /// Returns the organisation's managed devices. If `name` is given, returns only the devices with that name in
    /// device management.
    ///
    /// - Throws: ``StorageError``
    package func all(of tenant: TenantID, named name: String? = nil) async throws -> [Entry] {
        let condition: SQL = name.map { "managedAs = \($0)" } ?? "managedAs IS NOT NULL"
        return try await database.read { connection in
            let devices: [DeviceID] = try connection.values(
                .id, of: Device.self, "WHERE tenant = \(tenant) AND \(condition)")
            return try devices.compactMap { device in
                try Devices(connection).management(of: device, tenant: tenant).map {
                    Entry(tenant: tenant, device: device, name: $0)
                }
            }
        }
    }
}

extension Devices {
    /// Returns the names that an organisation's devices have in device management.
    ///
    /// - Throws: ``StorageError``
    func managementNames(tenant: TenantID) throws -> [DeviceID: String] {
        let rows = try connection.rows(
            "SELECT id, managedAs FROM device WHERE tenant = \(tenant) AND managedAs IS NOT NULL")
        return try rows.reduce(into: [:]) { names, row in
            let id: DeviceID = try row["id"]
            names[id] = try row["managedAs"]
        }
    }

    fileprivate func management(of id: DeviceID, tenant: TenantID) throws -> String? {
        try connection.optionalValue(.managedAs, of: Device.self, "WHERE tenant = \(tenant) AND id = \(id)")
    }

    /// - Returns: whether something changed.
    fileprivate func setManagement(_ name: String?, of id: DeviceID, tenant: TenantID) throws -> Bool {
        try connection.execute(
            """
            UPDATE device SET managedAs = \(name), isManaged = \(name != nil)
            WHERE tenant = \(tenant) AND id = \(id) AND COALESCE(managedAs, '') <> \(name ?? "")
            """) == 1
    }
}
