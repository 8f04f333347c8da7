// SPDX-License-Identifier: Apache-2.0
internal import DeviceManagement
internal import FoundationEssentials

/// A result on its way to the server.
struct CommandReply: Sendable {
    let commandUUID: String
    let body: [UInt8]
}

extension EnrolmentWorker {
    /// Carries out one command and makes its effect and its result durable together.
    ///
    /// - Returns: the result to send next.
    func obey(_ bytes: [UInt8], link: ServerLink) async throws -> CommandReply {
        let value: PropertyList
        do { value = try PropertyList(xml: bytes) } catch {
            throw EnrolmentError(.serverRefused, "the server sent no property list: \(error)")
        }
        let request: CommandRequest
        do { request = try CommandRequest(propertyList: value) } catch {
            guard let uuid = error.uuid else {
                throw EnrolmentError(.serverRefused, "the server sent a command without a name")
            }
            return try await finish(uuid, CommandOutcome(status: .commandFormatError), record: record)
        }
        // The server did not get our answer: the command is done, only the answer is due.
        if let last = record?.lastResult, last.commandUUID == request.uuid {
            return CommandReply(commandUUID: request.uuid, body: Array(last.body))
        }
        if stage() == .changing, request.command.changesDevice {
            owesVisit = true
            return try result(request.uuid, CommandOutcome(status: .notNow))
        }
        guard var next = record else { throw EnrolmentError(.notEnrolled, "the device is not enrolled") }
        if let outcome = try next.perform(request.command, device: device) {
            return try await finish(request.uuid, outcome, record: next)
        }
        guard case .installApplication(let command) = request.command else {
            return try await finish(request.uuid, .failed(.unknownCommand, "no way to carry it out"), record: next)
        }
        return try await install(command, uuid: request.uuid, link: link, record: next)
    }

    private func install(
        _ command: Command.InstallApplication, uuid: String, link: ServerLink, record: ManagementRecord
    ) async throws -> CommandReply {
        var next = record
        let fetch = PackageFetch(client: link.client, store: store, queue: queue)
        let outcome: CommandOutcome
        do throws(PackageFailure) {
            let package = try await fetch.fetch(manifestURL: command.manifestURL)
            do { outcome = try next.register(package, command: command) } catch {
                throw PackageFailure(
                    problem: .storageFailed, detail: "\(error)", identifier: package.manifest.bundleIdentifier)
            }
        } catch { outcome = next.fail(error) }
        let message = try await finish(uuid, outcome, record: next)
        let store = store
        let kept = self.record
        try await queue.run { try store.sweep(keeping: kept) }
        return message
    }

    private func finish(
        _ uuid: String, _ outcome: CommandOutcome, record: ManagementRecord?
    ) async throws -> CommandReply {
        guard var next = record else { throw EnrolmentError(.notEnrolled, "the device is not enrolled") }
        let message = try result(uuid, outcome)
        next.lastResult = .init(commandUUID: uuid, body: Data(message.body), isDelivered: false)
        try await save(next)
        return message
    }

    private func result(_ uuid: String, _ outcome: CommandOutcome) throws -> CommandReply {
        let result = CommandResult(
            udid: record?.udid ?? "", status: outcome.status, commandUUID: uuid, errorChain: outcome.errors,
            answer: outcome.answer)
        return CommandReply(commandUUID: uuid, body: try result.propertyList.xml())
    }
}

extension Command {
    /// Whether carrying it out could tear a running sign-in or sign-out apart.
    fileprivate var changesDevice: Bool {
        switch self {
        case .installProfile, .removeProfile, .settings, .installApplication: true
        case .profileList, .managedApplicationList, .deviceInformation, .unknown: false
        }
    }
}
