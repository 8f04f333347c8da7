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
                return try AdministeredDevices(connection).page(devices, of: page)
            }
        }
        router.on(object: IdentityAdmin.getDevice) { call in
            let tenant = try await call.tenant()
            let id = try await search.device(in: call)
            return try await database.read { try shown(id, of: tenant, $0) }
        }
        router.on(IdentityAdmin.changeDevice) { call, body in
            let tenant = try await call.tenant()
            let change = try body.decoded()
            let id = try await search.device(in: call)
            try await acts(call, changing: id, of: tenant).setEnabled(change.accountEnabled, id, tenant: tenant)
        }
        router.on(IdentityAdmin.removeDevice) { call in
            let tenant = try await call.tenant()
            let id = try await search.device(in: call)
            try await acts(call, changing: id, of: tenant).remove(id, tenant: tenant)
        }
    }

    private func acts(_ call: AdminCall, changing id: DeviceID, of tenant: Tenant) -> DeviceAdministration {
        call.acts { try shown(id, of: tenant, $0) }.devices
    }

    private func shown(_ id: DeviceID, of tenant: Tenant, _ connection: any Connection) throws -> IdentityAdmin.Device {
        let device = try Devices(connection).find(id, tenant: tenant.id)
        guard let shown = try AdministeredDevices(connection).shown(device.map { [$0] } ?? []).first else {
            throw AdminRefusal.noDevice
        }
        return shown
    }
}
