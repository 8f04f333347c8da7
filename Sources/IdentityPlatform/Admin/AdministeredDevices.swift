// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import AdminServer
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

/// Read access to devices as administrators see them, in one transaction.
struct AdministeredDevices {
    private let connection: any Connection

    init(_ connection: any Connection) { self.connection = connection }

    /// Returns a page of devices of one tenant.
    ///
    /// - Throws: ``StorageError``
    func page(_ found: [Device], of request: PageRequest) throws -> Page<IdentityAdmin.Device> {
        let shown = try shown(found)
        return Page(Array(zip(found, shown)), of: request, key: \.0.listKey) { $1 }
    }

    /// Returns devices of one tenant with their details and groups.
    ///
    /// - Throws: ``StorageError``
    func shown(_ devices: [Device]) throws -> [IdentityAdmin.Device] {
        guard let tenant = devices.first?.tenant else { return [] }
        let details = try details(of: devices, tenant)
        let groups = try Groups(connection).names(ofGroupsWith: devices.map(\.id), tenant: tenant)
        return devices.map { device in
            let details = details[device.id]
            return IdentityAdmin.Device(
                deviceID: device.id.rawValue, id: device.objectID.rawValue, displayName: device.displayName,
                operatingSystem: device.operatingSystem, operatingSystemVersion: device.operatingSystemVersion,
                trustType: device.trustType.rawValue, profileType: device.profileType.rawValue,
                accountEnabled: device.isEnabled, isManaged: device.isManaged, udid: details?.udid,
                registeredAt: device.registered.rawValue, aheadAt: details?.ahead?.rawValue,
                groups: groups[device.id] ?? [])
        }
    }

    private func details(of devices: [Device], _ tenant: TenantID) throws -> [DeviceID: DeviceDetails] {
        let found = try connection.records(
            DeviceDetails.self, "WHERE tenant = \(tenant) AND id IN \(SQL.list(devices.map(\.id)))")
        return Dictionary(uniqueKeysWithValues: found.map { ($0.id, $0) })
    }
}
