// SPDX-License-Identifier: Apache-2.0
package import Storage

/// The names that the directory's devices have in device management.
package struct MDMDeviceNames: Sendable {
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

    /// Stores a device's name in device management. Storing the same name again has no effect. The caller must have
    /// verified that the device proved both its identity in the directory and its identity in device management.
    ///
    /// - Returns: whether something changed.
    /// - Throws: ``StorageError``
    package func set(_ name: String, of device: DeviceID, tenant: TenantID) async throws -> Bool {
        let now = environment.now()
        return try await database.write { connection in
            guard try Devices(connection).setManagement(name, of: device, tenant: tenant) else { return false }
            try Self.record(
                .deviceManaged, of: Entry(tenant: tenant, device: device, name: name), at: now, in: connection)
            return true
        }
    }

    /// Removes a device's name in device management, because the device is no longer managed under this name. If the
    /// device has another name by now, nothing changes.
    ///
    /// - Returns: whether something changed.
    /// - Throws: ``StorageError``
    package func remove(_ entry: Entry) async throws -> Bool {
        let now = environment.now()
        return try await database.write { connection in
            guard try Devices(connection).removeManagement(entry) else { return false }
            try Self.record(.deviceUnmanaged, of: entry, at: now, in: connection)
            return true
        }
    }

    private static func record(
        _ action: AuditAction, of entry: Entry, at now: Timestamp, in connection: any Connection
    ) throws {
        try AuditLog(connection).append(
            AuditLine(action, tenant: entry.tenant, actor: AuditLog.server, subject: entry.device.rawValue, at: now))
    }

    /// Returns the organisation's managed devices in the order of their ids, at most `limit`.
    ///
    /// - Parameter last: the last device of the previous page; nil for the first page.
    /// - Throws: ``StorageError``
    package func page(of tenant: TenantID, after last: DeviceID?, limit: Int) async throws -> [Entry] {
        try await database.read { connection in
            let rows = try connection.rows(
                """
                SELECT id, managedAs FROM device
                WHERE tenant = \(tenant) AND id > \(last?.rawValue ?? "") AND managedAs IS NOT NULL
                ORDER BY id LIMIT \(limit)
                """)
            return try rows.map { Entry(tenant: tenant, device: try $0["id"], name: try $0["managedAs"]) }
        }
    }
}

extension Devices {
    /// Returns the name that a device has in device management; nil if it is not managed.
    ///
    /// - Throws: ``StorageError``
    func managementName(of device: Device) throws -> String? {
        try connection.row("SELECT managedAs FROM device WHERE tenant = \(device.tenant) AND id = \(device.id)")?[
            "managedAs"]
    }

    /// - Returns: whether something changed.
    fileprivate func setManagement(_ name: String, of id: DeviceID, tenant: TenantID) throws -> Bool {
        try connection.execute(
            """
            UPDATE device SET managedAs = \(name), isManaged = \(true)
            WHERE tenant = \(tenant) AND id = \(id) AND COALESCE(managedAs, '') <> \(name)
            """) == 1
    }

    /// - Returns: whether something changed.
    fileprivate func removeManagement(_ entry: MDMDeviceNames.Entry) throws -> Bool {
        try connection.execute(
            """
            UPDATE device SET managedAs = NULL, isManaged = \(false)
            WHERE tenant = \(entry.tenant) AND id = \(entry.device) AND managedAs = \(entry.name)
            """) == 1
    }
}
