// SPDX-License-Identifier: Apache-2.0
package import Storage

/// The names that the directory's devices have in device management.
package struct MDMDeviceNames: Sendable {
    let database: any Database
    let environment: ClockAndRandomness

    /// A managed device, its names in the directory and in device management.
    package struct Entry: Sendable, Equatable {
        package let tenant: TenantID
        package let device: DeviceID
        package let objectID: DeviceObjectID
        package let displayName: String
        /// The UDID.
        package let name: String
        /// What else device management calls the device, as far as the directory knows.
        package let managed: ManagedNames?
        /// Whether no device that joined later has the same UDID.
        package let isLatest: Bool
    }

    /// What device management calls a device.
    package struct ManagedNames: Sendable, Equatable {
        package let name: String
        package let serialNumber: String?

        /// Leaves out names that are too long for an index: the directory does not find devices by them.
        package init(name: String, serialNumber: String?) {
            self.name = Self.isShort(name) ? name : ""
            self.serialNumber = serialNumber.flatMap { Self.isShort($0) ? $0 : nil }
        }

        private static func isShort(_ text: String) -> Bool { text.utf8.count <= 1024 }
    }

    /// Stores a device's UDID. Storing the same UDID again has no effect. The caller must have verified that the device
    /// proved both its identity in the directory and its identity in device management.
    ///
    /// - Returns: the device as it is stored now, nil if the directory does not have it; and whether the UDID is new.
    /// - Throws: ``StorageError``
    package func set(
        _ name: String, of device: DeviceID, tenant: TenantID
    ) async throws -> (entry: Entry?, isNew: Bool) {
        let now = environment.now()
        return try await database.write { connection in
            let devices = Devices(connection)
            let isNew = try devices.setManagement(name, of: device, tenant: tenant)
            let entry = try devices.managed("AND id = \(device)", tenant: tenant).first
            if isNew { try Self.record(.deviceManaged, of: device, tenant: tenant, at: now, in: connection) }
            return (entry, isNew)
        }
    }

    /// Stores what else device management calls a device. If the device has another UDID by now, nothing changes.
    ///
    /// - Throws: ``StorageError``
    package func set(_ names: ManagedNames, of entry: Entry) async throws {
        try await database.write { connection in
            try connection.execute(
                """
                UPDATE device SET managedName = \(names.name), serialNumber = \(names.serialNumber)
                WHERE tenant = \(entry.tenant) AND id = \(entry.device) AND managedAs = \(entry.name)
                """)
        }
    }

    /// Removes a device's names in device management, because the device is no longer managed under this UDID. If the
    /// device has another UDID by now, nothing changes.
    ///
    /// - Returns: whether something changed.
    /// - Throws: ``StorageError``
    package func remove(_ entry: Entry) async throws -> Bool {
        let now = environment.now()
        return try await database.write { connection in
            guard try Devices(connection).removeManagement(entry) else { return false }
            try Self.record(.deviceUnmanaged, of: entry.device, tenant: entry.tenant, at: now, in: connection)
            return true
        }
    }

    private static func record(
        _ action: AuditAction, of device: DeviceID, tenant: TenantID, at now: Timestamp, in connection: any Connection
    ) throws {
        try AuditLog(connection).append(
            AuditLine(action, tenant: tenant, actor: AuditLog.server, subject: device.rawValue, at: now))
    }

    /// Returns the organisation's managed devices in the order of their ids, at most `limit`.
    ///
    /// - Parameter last: the last device of the previous page; nil for the first page.
    /// - Throws: ``StorageError``
    package func page(of tenant: TenantID, after last: DeviceID?, limit: Int) async throws -> [Entry] {
        try await database.read { connection in
            try Devices(connection).managed(
                "AND id > \(last?.rawValue ?? "") AND managedAs IS NOT NULL ORDER BY id LIMIT \(limit)",
                tenant: tenant)
        }
    }

    /// Returns, for each of these UDIDs, the device that joined last with it.
    ///
    /// - Throws: ``StorageError``
    package func latest(of names: [String], tenant: TenantID) async throws -> [String: Entry] {
        try await database.read { connection in
            try names.reduce(into: [:]) { entries, name in
                entries[name] = try Devices(connection).managed("AND managedAs = \(name)", tenant: tenant)
                    .first(where: \.isLatest)
            }
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

    /// Returns the managed devices that the rest of the statement selects. A device that leaves the directory without
    /// the server's knowledge, and joins again, has several rows with one UDID.
    fileprivate func managed(_ rest: SQL, tenant: TenantID) throws -> [MDMDeviceNames.Entry] {
        let rows = try connection.rows(
            """
            SELECT id, objectID, displayName, managedAs, managedName, serialNumber,
                CASE WHEN EXISTS (
                    SELECT 1 FROM device AS later WHERE later.tenant = device.tenant
                        AND later.managedAs = device.managedAs AND (later.registered > device.registered
                            OR (later.registered = device.registered AND later.id > device.id)))
                    THEN 0 ELSE 1 END AS isLatest
            FROM device WHERE tenant = \(tenant) \(rest)
            """)
        return try rows.compactMap { row in
            let (udid, name): (String?, String?) = (try row["managedAs"], try row["managedName"])
            guard let udid else { return nil }
            let serialNumber: String? = try row["serialNumber"]
            return MDMDeviceNames.Entry(
                tenant: tenant, device: try row["id"], objectID: try row["objectID"],
                displayName: try row["displayName"], name: udid,
                managed: name.map { MDMDeviceNames.ManagedNames(name: $0, serialNumber: serialNumber) },
                isLatest: try row["isLatest"])
        }
    }

    /// - Returns: whether something changed.
    fileprivate func setManagement(_ name: String, of id: DeviceID, tenant: TenantID) throws -> Bool {
        try connection.execute(
            """
            UPDATE device SET managedAs = \(name), managedName = NULL, serialNumber = NULL, isManaged = \(true)
            WHERE tenant = \(tenant) AND id = \(id) AND COALESCE(managedAs, '') <> \(name)
            """) == 1
    }

    /// - Returns: whether something changed.
    fileprivate func removeManagement(_ entry: MDMDeviceNames.Entry) throws -> Bool {
        try connection.execute(
            """
            UPDATE device SET managedAs = NULL, managedName = NULL, serialNumber = NULL, isManaged = \(false)
            WHERE tenant = \(entry.tenant) AND id = \(entry.device) AND managedAs = \(entry.name)
            """) == 1
    }
}
