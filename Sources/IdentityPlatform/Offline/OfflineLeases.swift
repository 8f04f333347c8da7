// SPDX-License-Identifier: Apache-2.0
internal import Storage

enum StoredOfflineLease: Table {
    static let table = "offlineLease"
    enum Column: String, ColumnName { case tenant, id, person, device, expires }
}

/// Access to the offline leases that have not been withdrawn, in one transaction.
///
/// Withdrawing a lease announces a ``DeviceStateChange`` of its device. The device then requests its state and erases
/// the lease.
struct OfflineLeases {
    private let connection: any Connection

    init(_ connection: any Connection) { self.connection = connection }

    /// Stores a lease, in place of the person's earlier leases on the device.
    ///
    /// - Throws: ``StorageError``
    func add(
        _ id: String, of user: UserID, device: DeviceID, tenant: TenantID, expires: Timestamp
    ) throws {
        try connection.execute(
            "DELETE FROM offlineLease WHERE tenant = \(tenant) AND person = \(user) AND device = \(device)")
        try connection.insert(
            into: StoredOfflineLease.self,
            [.tenant: tenant, .id: id, .person: user, .device: device, .expires: expires])
    }

    /// Returns whether a device's lease is still valid.
    ///
    /// - Throws: ``StorageError``
    func isGood(_ id: String, device: DeviceID, tenant: TenantID, at time: Timestamp) throws -> Bool {
        let person: UserID? = try connection.value(
            .person, of: StoredOfflineLease.self,
            "WHERE tenant = \(tenant) AND id = \(id) AND device = \(device) AND expires > \(time)")
        return try person.flatMap { try Users(connection).find($0, tenant: tenant) }?.isEnabled == true
    }

    /// Withdraws a person's leases, on every device or on one.
    ///
    /// - Returns: whether there was a lease.
    /// - Throws: ``StorageError``
    @discardableResult
    func withdraw(of user: UserID, device: DeviceID? = nil, tenant: TenantID) throws -> Bool {
        let withdrawn = try connection.rows(
            """
            DELETE FROM offlineLease
            WHERE tenant = \(tenant) AND person = \(user) AND device = COALESCE(\(device), device)
            RETURNING device
            """)
        try announce(withdrawn, tenant)
        return !withdrawn.isEmpty
    }

    /// Withdraws every lease of the organisation.
    ///
    /// - Throws: ``StorageError``
    func withdrawAll(tenant: TenantID) throws {
        try announce(connection.rows("DELETE FROM offlineLease WHERE tenant = \(tenant) RETURNING device"), tenant)
    }

    private func announce(_ rows: [Row], _ tenant: TenantID) throws {
        let devices: [DeviceID] = try rows.map { try $0["device"] }
        for device in Set(devices) {
            try connection.announce(DeviceStateChange(tenant: tenant, device: device))
        }
    }
}
