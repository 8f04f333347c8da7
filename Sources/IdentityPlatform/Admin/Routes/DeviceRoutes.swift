// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import Hummingbird
internal import Storage

/// The administration routes for the directory's devices.
struct DeviceRoutes: Sendable {
    let database: any Database
    let devices: DeviceAdministration

    func add(to router: AdminRouter<some RequestContext>) {
        router.on(IdentityAdmin.listDevices) { call in
            let tenant = try await call.tenant()
            return try await database.read { connection in
                let devices = Devices(connection)
                let udids = try devices.managementNames(tenant: tenant.id)
                let ahead = try AheadDevices(connection).all(tenant: tenant.id)
                return try devices.all(tenant: tenant.id).map {
                    shown($0, udid: udids[$0.id], ahead: ahead[$0.id])
                }
            }
        }
        router.on(IdentityAdmin.changeDevice) { call, body in
            let tenant = try await call.tenant()
            let change = try await body.decoded()
            try await devices.setEnabled(change.accountEnabled, try device(call), tenant: tenant)
        }
        router.on(IdentityAdmin.removeDevice) { call in
            let tenant = try await call.tenant()
            try await devices.remove(try device(call), tenant: tenant)
        }
    }

    private func device(_ call: AdminCall) throws -> DeviceID {
        let name = try call.place("device")
        guard let id = DeviceID(rawValue: name.lowercased()) else {
            throw AdminRefusal.noDevice.naming("\(name) is not a device id.")
        }
        return id
    }

    private func shown(_ device: Device, udid: String?, ahead: Timestamp?) -> IdentityAdmin.Device {
        IdentityAdmin.Device(
            deviceID: device.id.rawValue, id: device.objectID.rawValue, displayName: device.displayName,
            operatingSystem: device.operatingSystem, operatingSystemVersion: device.operatingSystemVersion,
            trustType: device.trustType.rawValue, profileType: device.profileType.rawValue,
            accountEnabled: device.isEnabled, isManaged: device.isManaged, udid: udid,
            registeredAt: device.registered.rawValue, aheadAt: ahead?.rawValue)
    }
}
