// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import AdminServer
internal import Hummingbird
internal import Storage

/// The administration routes for the directory's devices.
struct DeviceRoutes: Sendable {
    let database: any Database
    let search: DeviceSearch

    func add(to router: AdminRouter) {
        router.on(list: IdentityAdmin.listDevices) { call, page in
            let tenant = try await call.tenant()
            return try await database.read { connection in
                let devices = try Devices(connection).all(tenant: tenant.id, on: page)
                return try Page(devices, of: page, key: \.listKey) { try shown($0, connection) }
            }
        }
        router.on(object: IdentityAdmin.getDevice) { call in
            let tenant = try await call.tenant()
            let id = try await device(call, tenant)
            return try await database.read { try shown(id, of: tenant, $0) }
        }
        router.on(IdentityAdmin.changeDevice) { call, body in
            let tenant = try await call.tenant()
            let change = try body.decoded()
            let id = try await device(call, tenant)
            try await acts(call, changing: id, of: tenant).setEnabled(change.accountEnabled, id, tenant: tenant)
        }
        router.on(IdentityAdmin.removeDevice) { call in
            let tenant = try await call.tenant()
            let id = try await device(call, tenant)
            try await acts(call, changing: id, of: tenant).remove(id, tenant: tenant)
        }
    }

    /// Returns the device in the path, identified by an id or by a unique name.
    private func device(_ call: AdminCall, _ tenant: Tenant) async throws -> DeviceID {
        try await search.device(try call.name("device"), tenant: tenant).id
    }

    private func acts(_ call: AdminCall, changing id: DeviceID, of tenant: Tenant) -> DeviceAdministration {
        call.acts { try shown(id, of: tenant, $0) }.devices
    }

    private func shown(_ id: DeviceID, of tenant: Tenant, _ connection: any Connection) throws -> IdentityAdmin.Device {
        guard let device = try Devices(connection).find(id, tenant: tenant.id) else { throw AdminRefusal.noDevice }
        return try shown(device, connection)
    }

    private func shown(_ device: Device, _ connection: any Connection) throws -> IdentityAdmin.Device {
        let udid = try Devices(connection).managementName(of: device)
        let ahead = try AheadDevices(connection).since(device)
        return IdentityAdmin.Device(
            deviceID: device.id.rawValue, id: device.objectID.rawValue, displayName: device.displayName,
            operatingSystem: device.operatingSystem, operatingSystemVersion: device.operatingSystemVersion,
            trustType: device.trustType.rawValue, profileType: device.profileType.rawValue,
            accountEnabled: device.isEnabled, isManaged: device.isManaged, udid: udid,
            registeredAt: device.registered.rawValue, aheadAt: ahead?.rawValue)
    }
}
