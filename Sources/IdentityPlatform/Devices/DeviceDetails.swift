// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// What administrators see of a device, and sign-ins do not need.
struct DeviceDetails: Record {
    let id: DeviceID
    /// The device's UDID in device management; nil if the device is not managed.
    let udid: String?
    /// When the device was first found to be ahead of the database; nil if it never was.
    let ahead: Timestamp?

    static let table = "device"
    enum Column: String, ColumnName { case id, managedAs, aheadSince }

    init(_ row: TableRow<DeviceDetails>) throws {
        (id, udid, ahead) = (try row[.id], try row[.managedAs], try row[.aheadSince])
    }
}

/// Read access to the details of devices in one transaction.
struct AdministeredDevices {
    private let connection: any Connection

    init(_ connection: any Connection) { self.connection = connection }

    /// Returns the details of devices of one tenant.
    ///
    /// - Throws: ``StorageError``
    func details(of devices: [Device]) throws -> [DeviceID: DeviceDetails] {
        guard let tenant = devices.first?.tenant else { return [:] }
        let found = try connection.records(
            DeviceDetails.self, "WHERE tenant = \(tenant) AND id IN \(SQL.list(devices.map(\.id)))")
        return Dictionary(uniqueKeysWithValues: found.map { ($0.id, $0) })
    }
}
