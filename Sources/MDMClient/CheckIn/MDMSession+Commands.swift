// SPDX-License-Identifier: Apache-2.0
internal import DeviceSettings
internal import FoundationEssentials
internal import Logging
internal import MDMProtocol

/// The outcome of the commands of one check-in.
package struct CheckInReport: Sendable, Equatable {
    package var done = 0
    package var failed = 0
    /// Commands that the server keeps for a later check-in.
    package var later = 0

    package init(done: Int = 0, failed: Int = 0, later: Int = 0) {
        self.done = done
        self.failed = failed
        self.later = later
    }
}

/// A result to be sent to the server.
struct CommandReply: Sendable {
    let commandUUID: String
    let status: CommandResult.Status
    let body: [UInt8]
}

extension MDMSession {
    /// Carries out one command, and writes its effect and its result to disk together.
    ///
    /// - Returns: the result to send next.
    func execute(_ bytes: [UInt8], link: ServerLink) async throws -> CommandReply {
        let value: PropertyList
        do { value = try PropertyList(xml: bytes) } catch {
            throw EnrollmentError(.serverRefused, "the server sent no property list: \(error)")
        }
        let request: CommandRequest
        do { request = try CommandRequest(propertyList: value) } catch {
            guard let uuid = error.uuid else {
                throw EnrollmentError(.serverRefused, "the server sent a command without a name")
            }
            return try await finish(uuid, CommandOutcome(status: .commandFormatError), record: record)
        }
        // The command was carried out, but the server did not get its result: send only the result again.
        if let last = record?.lastResult, last.commandUUID == request.uuid {
            return CommandReply(commandUUID: request.uuid, status: last.status, body: Array(last.body))
        }
        if stage() == .changing, request.command.changesDevice {
            owesCheckIn = true
            return try result(request.uuid, CommandOutcome(status: .notNow))
        }
        guard var next = record else { throw EnrollmentError(.notEnrolled, "the device is not enrolled") }
        let rights = link.enrollment.accessRights
        if case .installProfile(let body) = request.command, next.isEnrollment(body), rights.contains(.changeProfiles) {
            return try await renew(body, uuid: request.uuid, link: link, record: next)
        }
        if let outcome = try next.perform(request.command, rights: rights, device: device) {
            return try await finish(request.uuid, outcome, record: next)
        }
        guard case .installApplication(let command) = request.command else {
            return try await finish(
                request.uuid,
                .failed(
                    .unknownCommand,
                    "the device cannot carry it out"), record: next)
        }
        return try await install(command, uuid: request.uuid, link: link, record: next)
    }

    /// Installs a new version of the enrollment's own profile, with a new identity. From then on, the device uses the
    /// new identity, even to send the result of this command.
    private func renew(
        _ body: [UInt8], uuid: String, link: ServerLink, record: MDMRecord
    ) async throws -> CommandReply {
        var next = record
        let outcome: CommandOutcome
        do {
            let offer = try await open(body)
            let changes = ProfileLinter.changes(from: link.enrollment, to: offer.server)
            guard changes.isEmpty else {
                throw EnrollmentError(.profileRefused, changes.map(\.description).joined(separator: " "))
            }
            next.enrollment?.credentials = try await keep(offer)
            outcome = .done()
        } catch let error as EnrollmentError where error.code == .profileRefused || error.code == .identityRefused {
            outcome = .failed(.profileRefused, error.detail)
        }
        let message = try await finish(uuid, outcome, record: next)
        if outcome.status == .acknowledged { logger.info("device identity renewed") }
        try await sweep()
        return message
    }

    private func install(
        _ command: Command.InstallApplication, uuid: String, link: ServerLink, record: MDMRecord
    ) async throws -> CommandReply {
        var next = record
        let fetch = PackageFetch(client: link.client, store: store, queue: queue)
        let outcome: CommandOutcome
        do {
            let package = try await fetch.fetch(manifestURL: command.manifestURL)
            outcome = try next.register(package, command: command)
        } catch let failure as PackageFailure {
            outcome = next.fail(failure)
        } catch let interruption as PackageInterrupted {
            // Do not write anything: the server keeps the command, and the next check-in starts it again.
            guard !Task.isCancelled else { throw EnrollmentError(.stopped, "the broker is stopping") }
            logger.warning("package not fetched, trying again later", metadata: ["reason": "\(interruption.detail)"])
            return try result(uuid, CommandOutcome(status: .notNow))
        }
        let message = try await finish(uuid, outcome, record: next)
        try await sweep()
        return message
    }

    private func finish(
        _ uuid: String, _ outcome: CommandOutcome, record: MDMRecord?
    ) async throws -> CommandReply {
        guard var next = record else { throw EnrollmentError(.notEnrolled, "the device is not enrolled") }
        let message = try result(uuid, outcome)
        next.lastResult = .init(
            commandUUID: uuid, status: outcome.status, body: Data(message.body), isDelivered: false)
        try await save(next)
        if let reason = outcome.errors.first {
            logger.warning(
                "management command failed",
                metadata: ["command.uuid": "\(uuid)", "code": "\(reason.code)", "reason": "\(reason.message)"])
        }
        return message
    }

    private func result(_ uuid: String, _ outcome: CommandOutcome) throws -> CommandReply {
        let result = CommandResult(
            udid: record?.udid ?? "", status: outcome.status, commandUUID: uuid, errorChain: outcome.errors,
            answer: outcome.answer)
        return CommandReply(commandUUID: uuid, status: outcome.status, body: try result.propertyList.xml())
    }
}

extension Command {
    /// Whether the command must not run during a sign-in or sign-out.
    fileprivate var changesDevice: Bool {
        switch self {
        case .installProfile, .removeProfile, .settings, .installApplication: true
        case .profileList, .managedApplicationList, .deviceInformation, .unknown: false
        }
    }
}
