// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import Storage

/// What administrators see of devices beside their records. The number of statements that read it does not depend on the
/// number of devices.
struct ManagedDeviceDetails {
    private var profiles: [UDID: [MDMAdmin.HeldProfile]] = [:]
    private var apps: [UDID: [MDMAdmin.HeldApp]] = [:]
    private var waiting: [UDID: Int] = [:]
    private var identityEnds: [UDID: Timestamp] = [:]

    /// - Throws: ``StorageError``
    init(of devices: [DeviceRecord], tenant: TenantID, now: Timestamp, _ connection: any Connection) throws {
        let these: SQL = "WHERE tenant = \(tenant) AND udid IN \(SQL.list(devices.map(\.udid)))"
        for row in try connection.rows("SELECT udid, identifier, uuid FROM heldProfile \(these) ORDER BY identifier") {
            profiles[try row["udid"], default: []].append(
                MDMAdmin.HeldProfile(identifier: try row["identifier"], uuid: try row["uuid"]))
        }
        for row in try connection.rows(
            "SELECT udid, identifier, state, hasConfiguration FROM heldApp \(these) ORDER BY identifier")
        {
            apps[try row["udid"], default: []].append(
                MDMAdmin.HeldApp(
                    identifier: try row["identifier"], state: try row["state"],
                    hasConfiguration: try row["hasConfiguration"]))
        }
        for row in try connection.rows(
            "SELECT udid, COUNT(*) AS count FROM command \(these) AND finishedAt IS NULL GROUP BY udid")
        {
            waiting[try row["udid"]] = try row["count"]
        }
        for row in try connection.rows(
            """
            SELECT udid, expiresAt FROM enrollment \(these) AND state = \(Enrollment.State.bound) AND expiresAt > \(now)
            """)
        {
            identityEnds[try row["udid"]] = try row["expiresAt"]
        }
    }

    func description(of device: DeviceRecord) -> MDMAdmin.Device {
        MDMAdmin.Device(
            udid: device.udid.rawValue, name: device.name, state: device.state.rawValue,
            productName: device.productName, osVersion: device.osVersion, serialNumber: device.serialNumber,
            profiles: profiles[device.udid] ?? [], apps: apps[device.udid] ?? [], waiting: waiting[device.udid] ?? 0,
            identityEndsAt: identityEnds[device.udid]?.rawValue)
    }
}
