// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import DeviceManagement
internal import Hummingbird
internal import Logging
internal import Storage

extension Management {
    func addDeviceRoutes<Context: RequestContext>(to router: Router<Context>) {
        on(router, .get, .devices) { call in
            let now = sources.now()
            return try Self.json(
                try await database.read { connection in
                    try Devices(connection: connection, tenant: call.tenant).all().map {
                        try Self.description(of: $0, tenant: call.tenant, now: now, in: connection)
                    }
                })
        }
        on(router, .get, .device) { call in
            let now = sources.now()
            return try Self.json(
                try await database.read { connection in
                    let device = try Self.device(call, in: connection)
                    return try Self.description(of: device, tenant: call.tenant, now: now, in: connection)
                })
        }
        on(router, .delete, .device) { call in
            try await remove(call)
            return Response(status: .noContent)
        }
        on(router, .get, .commands) { call in
            try Self.json(
                try await database.read { connection in
                    let udid = try Self.device(call, in: connection).udid
                    let queue = CommandQueue(connection: connection, tenant: call.tenant, udid: udid)
                    return try queue.latest(200).map(Self.description)
                })
        }
        on(router, .post, .inventory) { call in
            let commands: [DeviceManagement.Command] = [
                .profileList(managedOnly: false), .managedApplicationList(identifiers: nil),
            ]
            return try Self.json(try await enqueue(commands, call), status: .accepted)
        }
    }

    private func remove(_ call: AdminCall) async throws {
        let now = sources.now()
        let udid = try await database.write { connection in
            let device = try Self.device(call, in: connection)
            try Enrollments(connection: connection, tenant: call.tenant).end(udid: device.udid)
            try Devices(connection: connection, tenant: call.tenant).leave(device.udid, now: now)
            try record(.deviceRemoved, device.udid, of: call, in: connection)
            try connection.announce(ManagedDevice(tenant: call.tenant, udid: device.udid))
            return device.udid
        }
        Logger.current.info("device removed", metadata: ["device.udid": "\(udid)"])
    }

    /// Queues commands for the device of the path, all or none.
    func enqueue(_ commands: [DeviceManagement.Command], _ call: AdminCall) async throws -> [MDMAdmin.Command] {
        let now = sources.now()
        let requests = commands.map { CommandRequest(uuid: sources.uuid(), command: $0) }
        let limit = configuration.maximumQueue
        return try await database.write { connection in
            let device = try Self.device(call, in: connection)
            guard device.state == .enrolled else { throw ManagementRefusal(.notEnrolled) }
            let queue = CommandQueue(connection: connection, tenant: call.tenant, udid: device.udid)
            for request in requests {
                try queue.append(request, now: now, limit: limit, sealer: sealer)
                try record(
                    .commandQueued, device.udid,
                    detail: [request.command.requestType, call.places["profile"] ?? call.places["app"]]
                        .compactMap(\.self).joined(separator: " "), of: call, in: connection)
            }
            return requests.map { request in
                MDMAdmin.Command(
                    uuid: request.uuid, requestType: request.command.requestType,
                    state: QueuedCommand.State.queued.rawValue, enqueuedAt: now.rawValue, finishedAt: nil, errors: [])
            }
        }
    }

    /// Queues one command for the device of the path.
    func enqueue(_ command: DeviceManagement.Command, _ call: AdminCall) async throws -> MDMAdmin.Command {
        guard let queued = try await enqueue([command], call).first else { throw ManagementRefusal(.fault) }
        return queued
    }

    /// The device of the path, by UDID or by a name that only one living device has.
    static func device(_ call: AdminCall, in connection: any Connection) throws -> Device {
        let name = try call.place("device")
        let devices = Devices(connection: connection, tenant: call.tenant)
        if let device = try devices.find(UDID(rawValue: name)) { return device }
        let named = try devices.all().filter { $0.name == name && $0.state != .left }
        guard named.count <= 1 else { throw ManagementRefusal(.ambiguousDevice) }
        guard let device = named.first else { throw ManagementRefusal(.noDevice) }
        return device
    }

    private static func description(
        of device: Device, tenant: TenantID, now: Timestamp, in connection: any Connection
    ) throws -> MDMAdmin.Device {
        let enrollment = try Enrollments(connection: connection, tenant: tenant).bound(udid: device.udid, now: now)
        let inventory = Inventory(connection: connection, tenant: tenant, udid: device.udid)
        let waiting = try connection.count(
            of: QueuedCommand.self,
            "WHERE tenant = \(tenant) AND udid = \(device.udid) AND finishedAt IS NULL")
        return MDMAdmin.Device(
            udid: device.udid.rawValue, name: device.name, state: device.state.rawValue,
            productName: device.productName,
            osVersion: device.osVersion, serialNumber: device.serialNumber,
            profiles: try inventory.profiles().map { MDMAdmin.HeldProfile(identifier: $0.identifier, uuid: $0.uuid) },
            apps: try inventory.apps().map {
                MDMAdmin.HeldApp(identifier: $0.identifier, state: $0.state, hasConfiguration: $0.hasConfiguration)
            },
            waiting: waiting, identityEndsAt: enrollment?.expiresAt.rawValue)
    }

    /// An outer success can hide failures of single items; they are reasons all the same.
    private static func description(of command: QueuedCommand) throws -> MDMAdmin.Command {
        var reasons: [ErrorItem] = []
        if let bytes = command.result {
            let result = try CommandResult(propertyList: PropertyList(xml: bytes))
            reasons = result.errorChain
            if case .settings(let items) = result.answer { reasons += items.flatMap(\.errorChain) }
        }
        return MDMAdmin.Command(
            uuid: command.uuid, requestType: command.requestType, state: command.state.rawValue,
            enqueuedAt: command.enqueuedAt.rawValue, finishedAt: command.finishedAt?.rawValue,
            errors: reasons.map { .init(code: $0.code, domain: $0.domain, message: $0.message) })
    }
}
