// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import Hummingbird
internal import Storage

extension AdminRoutes {
    func addDeviceRoutes<Context: RequestContext>(to router: Router<Context>) {
        on(router, .get, .devices) { _, context in
            let tenant = try await tenant(context)
            return try Self.json(
                try await platform.database.read { try Devices($0).all(tenant: tenant.id).map(shown) })
        }
        on(router, .patch, .device) { request, context in
            let tenant = try await tenant(context)
            let change = try await body(request, as: IdentityAdmin.DeviceChange.self)
            try await administration.setEnabled(change.accountEnabled, try device(context), tenant: tenant)
            return Response(status: .noContent)
        }
        on(router, .delete, .device) { _, context in
            let tenant = try await tenant(context)
            try await administration.remove(try device(context), tenant: tenant)
            return Response(status: .noContent)
        }
    }

    private func device(_ context: some RequestContext) throws -> DeviceID {
        guard let id = DeviceID(rawValue: try place("device", context)) else { throw AdminRefusal.noDevice }
        return id
    }

    private func shown(_ device: Device) -> IdentityAdmin.Device {
        IdentityAdmin.Device(
            deviceID: device.id.rawValue, id: device.objectID.rawValue, displayName: device.displayName,
            operatingSystem: device.operatingSystem, operatingSystemVersion: device.operatingSystemVersion,
            trustType: device.trustType.rawValue, profileType: device.profileType.rawValue,
            accountEnabled: device.isEnabled, isManaged: device.isManaged, registered: device.registered.seconds)
    }
}

extension AdminRoutes {
    func addReceiptRoutes<Context: RequestContext>(to router: Router<Context>) {
        on(router, .get, .receiptTrust) { _, context in
            Response(status: .ok, json: try await platform.receiptTrust(of: try await tenant(context).id))
        }
        on(router, .get, .receiptSubject) { _, context in
            let (subject, person) = try await administration.resolve(
                try place("subject", context), tenant: try await tenant(context))
            return try Self.json(
                IdentityAdmin.ReceiptSubject(
                    user: subject.user.rawValue, userPrincipalName: person?.userPrincipalName,
                    device: subject.device.rawValue, session: subject.session.rawValue))
        }
    }
}
