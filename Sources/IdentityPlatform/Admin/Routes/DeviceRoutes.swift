// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import Hummingbird
internal import Storage

/// The administration routes for the directory's devices.
struct DeviceRoutes: Sendable {
    let database: any Database
    let devices: DeviceAdministration
    let search: DeviceSearch

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
        router.on(IdentityAdmin.getDevice) { call in
            let tenant = try await call.tenant()
            let named = try await device(call, tenant)
            let found = try await database.read { connection in
                try Devices(connection).find(named.id, tenant: tenant.id).map {
                    shown(
                        $0, udid: named.udid,
                        ahead: try AheadDevices(connection).beginning(of: named.id, tenant: tenant.id))
                }
            }
            guard let found else { throw AdminRefusal.noDevice }
            return found
        }
        router.on(IdentityAdmin.changeDevice) { call, body in
            let tenant = try await call.tenant()
            let change = try await body.decoded()
            try await devices.setEnabled(change.accountEnabled, try await device(call, tenant).id, tenant: tenant)
        }
        router.on(IdentityAdmin.removeDevice) { call in
            let tenant = try await call.tenant()
            try await devices.remove(try await device(call, tenant).id, tenant: tenant)
        }
    }

    /// Returns the device in the path, identified by an id or by a unique name.
    private func device(_ call: AdminCall, _ tenant: Tenant) async throws -> NamedDevice {
        try await search.device(try call.name("device"), tenant: tenant)
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
