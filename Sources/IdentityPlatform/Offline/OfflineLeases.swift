// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// The offline leases of one transaction: which were given, and are not withdrawn.
///
/// Whatever withdraws one announces the ``DeviceStateChange`` of its device, which then asks and erases it.
struct OfflineLeases {
    private let connection: any Connection

    init(_ connection: any Connection) { self.connection = connection }

    /// Keeps a lease in place of the person's former ones at that device.
    ///
    /// - Throws: ``StorageError``
    func add(
        _ id: String, of user: UserID, device: DeviceID, tenant: TenantID, expires: Timestamp
    ) throws {
        try connection.execute(
            "DELETE FROM offlineLease WHERE tenant = \(tenant) AND person = \(user) AND device = \(device)")
        try connection.execute(
            """
            INSERT INTO offlineLease (tenant, id, person, device, expires)
            VALUES (\(tenant), \(id), \(user), \(device), \(expires))
            """)
    }

    /// Whether a lease of that device is still good.
    ///
    /// - Throws: ``StorageError``
    func isGood(_ id: String, device: DeviceID, tenant: TenantID, at time: Timestamp) throws -> Bool {
        let row = try connection.row(
            """
            SELECT person FROM offlineLease
            WHERE tenant = \(tenant) AND id = \(id) AND device = \(device) AND expires > \(time)
            """)
        guard let row else { return false }
        return try Users(connection).find(try row.value(0), tenant: tenant)?.isEnabled == true
    }

    /// Withdraws a person's leases: at every device, or at one.
    ///
    /// - Throws: ``StorageError``
    func withdraw(of user: UserID, device: DeviceID? = nil, tenant: TenantID) throws {
        try announce(
            connection.rows(
                """
                DELETE FROM offlineLease
                WHERE tenant = \(tenant) AND person = \(user) AND device = COALESCE(\(device), device)
                RETURNING device
                """), tenant)
    }

    /// Withdraws every lease of the organisation.
    ///
    /// - Throws: ``StorageError``
    func withdrawAll(tenant: TenantID) throws {
        try announce(connection.rows("DELETE FROM offlineLease WHERE tenant = \(tenant) RETURNING device"), tenant)
    }

    private func announce(_ rows: [Row], _ tenant: TenantID) throws {
        for device in Set(try rows.map { try $0.value(0, as: DeviceID.self) }) {
            try connection.announce(DeviceStateChange(tenant: tenant, device: device))
        }
    }
}
