// SPDX-License-Identifier: Apache-2.0
internal import AdminServer
internal import MDMProtocol
package import Storage

/// A device's own identifier.
package typealias UDID = ForeignID<UDIDSubject>
package enum UDIDSubject {}

extension CheckInMessage { var device: UDID? { udid.map(UDID.init(rawValue:)) } }
extension CheckInMessage.Authenticate { var device: UDID { UDID(rawValue: udid) } }
extension CheckInMessage.TokenUpdate { var device: UDID { UDID(rawValue: udid) } }
extension CheckInMessage.CheckOut { var device: UDID { UDID(rawValue: udid) } }
extension CommandResult { var device: UDID { UDID(rawValue: udid) } }

/// A device in the server's database.
struct DeviceRecord: Sendable {
    /// The state of a device.
    enum State: String, ColumnValue {
        /// The device has sent `Authenticate` but is not enrolled yet.
        case authenticated
        case enrolled
        /// The device left on its own or was removed.
        case left
    }

    let udid: UDID
    let name: String
    let state: State
    let productName: String?
    let osVersion: String?
    let serialNumber: String?
    let changedAt: Timestamp
    /// The inventory that the server requests once it has no other command.
    let dueInventory: DueInventory

    /// Whether the device reports an Apple product name. Apple's devices support more payloads than Baton's devices do.
    var isApples: Bool {
        ["iPad", "iPhone", "iPod", "Mac", "iMac", "AppleTV"].contains { productName?.hasPrefix($0) == true }
    }
}

extension DeviceRecord: Record {
    static let table = "device"
    static let unread: Set<Column> = [
        .enrollment, .token, .pushMagic, .unlockToken, .sealedUnlockToken, .directoryID, .directoryObjectID,
        .directoryName,
    ]

    enum Column: String, ColumnName {
        case tenant, udid, enrollment, name, state, productName, osVersion, serialNumber, token, pushMagic,
            unlockToken, sealedUnlockToken, changedAt, dueInventory, directoryID, directoryObjectID, directoryName
    }

    init(_ row: TableRow<DeviceRecord>) throws {
        self.init(
            udid: try row[.udid], name: try row[.name], state: try row[.state], productName: try row[.productName],
            osVersion: try row[.osVersion], serialNumber: try row[.serialNumber], changedAt: try row[.changedAt],
            dueInventory: try row[.dueInventory])
    }
}

/// The devices of one tenant.
struct DeviceRecords {
    let connection: any Connection
    let tenant: TenantID

    func find(_ udid: UDID) throws -> DeviceRecord? {
        try connection.record(DeviceRecord.self, "WHERE tenant = \(tenant) AND udid = \(udid)")
    }

    /// Returns a page of the devices, in the order of their names, and one device more if there is another page.
    ///
    /// - Throws: ``OperationRefusal``, ``StorageError``
    func all(on page: PageRequest) throws -> [DeviceRecord] {
        let selection = try page.selection(orderedBy: DeviceRecord.Column.name, .udid)
        return try connection.records(DeviceRecord.self, "WHERE tenant = \(tenant) \(selection)")
    }

    /// Returns the devices that have not left and have this name.
    ///
    /// - Throws: ``StorageError``
    func named(_ name: String) throws -> [DeviceRecord] {
        try connection.records(
            DeviceRecord.self,
            "WHERE tenant = \(tenant) AND name = \(name) AND state <> \(DeviceRecord.State.left) ORDER BY udid")
    }

    /// Starts a new enrollment of the device. Removes all data of an earlier enrollment, including its queue.
    func begin(_ message: CheckInMessage.Authenticate, enrollment: Enrollment, now: Timestamp) throws {
        try connection.execute("DELETE FROM device WHERE tenant = \(tenant) AND udid = \(message.device)")
        try connection.insert(
            into: DeviceRecord.self,
            [
                .tenant: tenant, .udid: message.device, .enrollment: enrollment.id, .name: enrollment.name,
                .state: DeviceRecord.State.authenticated, .productName: message.productName,
                .osVersion: message.osVersion,
                .serialNumber: message.serialNumber, .changedAt: now, .dueInventory: DueInventory.all,
            ])
    }

    /// Handles `Authenticate` from an enrolled device, which either starts over or missed a response. In both cases the
    /// device's tokens and inventory are deleted, and only commands that were not delivered stay in the queue.
    func restart(_ message: CheckInMessage.Authenticate, now: Timestamp) throws {
        try connection.execute(
            """
            UPDATE device SET state = \(DeviceRecord.State.authenticated), productName = \(message.productName),
                osVersion = \(message.osVersion), serialNumber = \(message.serialNumber), token = NULL,
                pushMagic = NULL, sealedUnlockToken = NULL, changedAt = \(now), dueInventory = \(DueInventory.all)
            WHERE tenant = \(tenant) AND udid = \(message.device)
            """)
        try CommandQueue(connection: connection, tenant: tenant, udid: message.device).drop(
            now: now, onlyDelivered: true)
        try forgetInventory(message.device)
    }

    /// Stores the data with which the server wakes the device. A missing unlock token does not erase the stored one.
    func update(_ message: CheckInMessage.TokenUpdate, now: Timestamp, sealer: SecretSealer) throws {
        let sealed = try message.unlockToken.map { try sealer.seal($0, unlockTokenPurpose(message.device)) }
        try connection.execute(
            """
            UPDATE device SET state = \(DeviceRecord.State.enrolled), token = \(message.token),
                pushMagic = \(message.pushMagic), sealedUnlockToken = COALESCE(\(sealed), sealedUnlockToken),
                changedAt = \(now)
            WHERE tenant = \(tenant) AND udid = \(message.device)
            """)
    }

    /// The sealing purpose of an unlock token, bound to this device.
    func unlockTokenPurpose(_ udid: UDID) -> String { "unlock token \(tenant) \(udid)" }

    /// Marks the device as left, forgets what the directory calls it, and drops its waiting commands.
    func leave(_ udid: UDID, now: Timestamp) throws {
        try connection.execute(
            """
            UPDATE device SET state = \(DeviceRecord.State.left), token = NULL, pushMagic = NULL, changedAt = \(now),
                directoryID = NULL, directoryObjectID = NULL, directoryName = NULL
            WHERE tenant = \(tenant) AND udid = \(udid)
            """)
        try CommandQueue(connection: connection, tenant: tenant, udid: udid).drop(now: now, onlyDelivered: false)
        try forgetInventory(udid)
        try connection.announce(EnrollmentEnd(EnrolledDeviceID(tenant: tenant, udid: udid)))
    }

    private func forgetInventory(_ udid: UDID) throws {
        try connection.execute("DELETE FROM heldProfile WHERE tenant = \(tenant) AND udid = \(udid)")
        try connection.execute("DELETE FROM heldApp WHERE tenant = \(tenant) AND udid = \(udid)")
    }
}
