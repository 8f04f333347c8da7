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

    /// Queues commands for the device in the path: all of them or none.
    ///
    /// - Parameter subject: the profile or app that the commands concern.
    func enqueue(
        _ commands: [MDMProtocol.Command], about subject: String? = nil, _ call: MDMAdminCall
    ) async throws -> [MDMAdmin.Command] {
        let now = sources.now()
        let requests = commands.map { CommandRequest(uuid: sources.uuid(), command: $0) }
        return try await call.act(on: database, at: now) { connection in
            let device = try call.device(in: connection)
            guard device.state == .enrolled else {
                throw MDMAdminRefusal(.notEnrolled, "The device \(device.name) (\(device.udid)) is not enrolled.")
            }
            let queue = CommandQueue(connection: connection, tenant: call.tenant, udid: device.udid)
            for request in requests {
                try queue.append(request, about: subject, now: now, limit: maximumQueue, sealer: sealer)
                try log.record(
                    .commandQueued, device.udid,
                    detail: [request.command.requestType, call.received[place: "profile"] ?? call.received[place: "app"]]
                        .compactMap(\.self).joined(separator: " "), of: call, in: connection)
            }
            return requests.map { request in
                MDMAdmin.Command(
                    uuid: request.uuid, requestType: request.command.requestType, subject: subject,
                    state: QueuedCommand.State.queued.rawValue, enqueuedAt: now.rawValue, finishedAt: nil, errors: [])
            }
        }
    }

    /// Queues one command for the device in the path.
    func enqueue(
        _ command: MDMProtocol.Command, about subject: String, _ call: MDMAdminCall
    ) async throws -> MDMAdmin.Command {
        guard let queued = try await enqueue([command], about: subject, call).first else {
            throw MDMAdminRefusal(.fault)
        }
        return queued
    }
}
