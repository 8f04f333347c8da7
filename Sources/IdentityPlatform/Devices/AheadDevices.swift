// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Storage

/// The devices that are ahead of the database: each has proved that this server did something that the database no
/// longer shows.
///
/// This happens only if the database was restored to an earlier point. A counter that has grown proves nothing, because
/// the counters of epochs and receipts also grow while a device cannot reach the server. There are two proofs. One is a
/// session in an epoch that the database does not contain: the server records an epoch when it issues the first token
/// of a session in that epoch. The other is a countersignature of a receipt that is newer than the newest one in the
/// database.
///
/// A device loses nothing by being ahead. The counter of its next sign-in is higher than both the last counter of the
/// device and the counter in the database, so the sign-in is accepted. Lower counters are refused as always.
struct AheadDevices {
    let connection: any Connection

    init(_ connection: any Connection) { self.connection = connection }

    /// Returns whether a device has named a session that the server began but no longer knows.
    ///
    /// - Parameters:
    ///   - session: the id that the device has named; nil or malformed if the device knows none.
    ///   - epoch: the epoch of that session.
    /// - Throws: ``StorageError``
    func isLost(_ session: String?, in epoch: DeviceEpoch, of device: Device) throws -> Bool {
        guard let id = session.flatMap(SessionID.init(rawValue:)),
            EpochRule.judge(epoch, highest: device.epoch, isClosed: false) == .enter
        else { return false }
        return try Sessions(connection).find(id, tenant: device.tenant) == nil
    }

    /// Records that a device is ahead, with an entry in the audit log.
    ///
    /// - Parameter proof: what the server no longer knows, such as `epoch 9`.
    /// - Throws: ``StorageError``
    func record(_ device: DeviceID, tenant: TenantID, proof: String, at time: Timestamp) throws {
        try connection.execute(
            """
            UPDATE device SET aheadSince = \(time)
            WHERE tenant = \(tenant) AND id = \(device) AND aheadSince IS NULL
            """)
        try AuditLog(connection).appendOrCount(
            AuditLine(.deviceAhead, tenant: tenant, actor: device.rawValue, subject: proof, outcome: "done", at: time))
    }

    /// Returns when a device was first found to be ahead; nil if it never was.
    ///
    /// - Throws: ``StorageError``
    func since(_ device: Device) throws -> Timestamp? {
        try connection.row("SELECT aheadSince FROM device WHERE tenant = \(device.tenant) AND id = \(device.id)")?[
            "aheadSince"]
    }
}
