// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import AdminServer
internal import MDMProtocol
internal import Storage

/// Queues administrators' commands for devices.
struct CommandRequests: Sendable {
    let database: any Database
    let sources: MDMSources
    let sealer: SecretSealer
    let log: MDMAdminLog
    /// The maximum number of commands that may wait for one device.
    let maximumQueue: Int

    /// Queues commands for a device: all of them or none.
    ///
    /// - Parameters:
    ///   - subject: the profile or app that the commands concern.
    ///   - item: the subject in the audit log, if it differs.
    func enqueue(
        _ commands: [MDMProtocol.Command], about subject: String? = nil, logged item: String? = nil, for udid: UDID,
        _ call: MDMAdminCall
    ) async throws -> [MDMAdmin.Command] {
        let now = sources.now()
        let requests = commands.map { CommandRequest(uuid: sources.uuid(), command: $0) }
        return try await call.act(on: database, at: now) { connection in
            // The device may have left since its name was read.
            guard let device = try DeviceRecords(connection: connection, tenant: call.tenant).find(udid) else {
                throw MDMAdminRefusal(.noDevice)
            }
            guard device.state == .enrolled else {
                throw MDMAdminRefusal(.notEnrolled, "The device \(device.name) (\(device.udid)) is not enrolled.")
            }
            let queue = CommandQueue(connection: connection, tenant: call.tenant, udid: device.udid)
            for request in requests {
                try queue.append(request, about: subject, now: now, limit: maximumQueue, sealer: sealer)
                try log.record(
                    .commandQueued, device.udid,
                    detail: [request.command.requestType, item ?? subject].compactMap(\.self).joined(separator: " "),
                    of: call, in: connection)
            }
            return requests.map { request in
                MDMAdmin.Command(
                    uuid: request.uuid, requestType: request.command.requestType, subject: subject,
                    state: QueuedCommand.State.queued.rawValue, enqueuedAt: now.rawValue, finishedAt: nil, errors: [])
            }
        }
    }

    /// Queues one command for a device.
    func enqueue(
        _ command: MDMProtocol.Command, about subject: String, logged item: String? = nil, for udid: UDID,
        _ call: MDMAdminCall
    ) async throws -> MDMAdmin.Command {
        let queued = try await enqueue([command], about: subject, logged: item, for: udid, call)
        guard let first = queued.first else { throw MDMAdminRefusal(.fault) }
        return first
    }
}
