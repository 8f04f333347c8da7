// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import AdminServer
internal import Hummingbird
internal import Logging
internal import MDMProtocol
internal import Storage

/// The administration routes for enrolled devices.
struct ManagedDeviceRoutes: Sendable {
    let database: any Database
    let sources: MDMSources
    let log: MDMAdminLog
    let commands: CommandRequests
    let search: ManagedDeviceSearch

    func add(to router: MDMAdminRouter) {
        router.on(list: MDMAdmin.listManagedDevices) { call, page in
            let now = sources.now()
            return try await database.read { connection in
                let devices = try DeviceRecords(connection: connection, tenant: call.tenant).all(on: page)
                let details = try ManagedDeviceDetails(of: devices, tenant: call.tenant, now: now, connection)
                return Page(devices, of: page, key: \.listKey, shown: details.description)
            }
        }
        router.on(object: MDMAdmin.getManagedDevice) { call in
            let now = sources.now()
            let udid = try await search.device(try call.name("device"), tenant: call.tenant).udid
            return try await database.read { try Self.description(of: udid, tenant: call.tenant, now: now, in: $0) }
        }
        router.on(MDMAdmin.unenrollDevice) { call in try await remove(call) }
        router.on(MDMAdmin.listCommands) { call in
            let udid = try await search.device(try call.name("device"), tenant: call.tenant).udid
            return try await database.read { connection in
                let queue = CommandQueue(connection: connection, tenant: call.tenant, udid: udid)
                return try queue.latest(200).map(Self.description)
            }
        }
        router.on(MDMAdmin.queryInventory) { call in
            let udid = try await search.device(try call.name("device"), tenant: call.tenant).udid
            return try await commands.enqueue(DueInventory.all.commands, for: udid, call)
        }
    }

    private func remove(_ call: MDMAdminCall) async throws {
        let now = sources.now()
        let udid = try await search.device(try call.name("device"), tenant: call.tenant).udid
        try await call.act(
            on: database, at: now,
            changing: { try Self.description(of: udid, tenant: call.tenant, now: now, in: $0) }
        ) { connection in
            let devices = DeviceRecords(connection: connection, tenant: call.tenant)
            let hasLeft = try devices.find(udid)?.state == .left
            let hadEnrollment = try Enrollments(connection: connection, tenant: call.tenant).end(udid: udid)
            guard hadEnrollment || !hasLeft else { return }
            try devices.leave(udid, now: now)
            try log.record(.deviceRemoved, udid, of: call, in: connection)
            try connection.announce(DeviceWork(EnrolledDeviceID(tenant: call.tenant, udid: udid)))
        }
        Logger.current.info("device removed", metadata: ["device.udid": "\(udid)"])
    }

    private static func description(
        of udid: UDID, tenant: TenantID, now: Timestamp, in connection: any Connection
    ) throws -> MDMAdmin.Device {
        guard let device = try DeviceRecords(connection: connection, tenant: tenant).find(udid) else {
            throw MDMAdminRefusal(.noDevice)
        }
        return try ManagedDeviceDetails(of: [device], tenant: tenant, now: now, connection).description(of: device)
    }

    /// Describes a command. An acknowledged command can contain failures of single items; these failures are included
    /// as reasons.
    private static func description(of command: QueuedCommand) throws -> MDMAdmin.Command {
        var reasons: [ErrorItem] = []
        if let bytes = command.result {
            let result = try CommandResult(propertyList: PropertyList(xml: bytes))
            reasons = result.errorChain
            if case .settings(let items) = result.answer { reasons += items.flatMap(\.errorChain) }
            reasons += [result.installationProblem].compactMap(\.self)
        }
        return MDMAdmin.Command(
            uuid: command.uuid.rawValue, requestType: command.requestType, subject: command.subject,
            state: command.state.rawValue,
            enqueuedAt: command.enqueuedAt.rawValue, finishedAt: command.finishedAt?.rawValue,
            errors: reasons.map { .init(code: $0.code, domain: $0.domain, message: $0.message) })
    }
}
