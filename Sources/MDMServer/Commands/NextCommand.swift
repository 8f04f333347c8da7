// SPDX-License-Identifier: Apache-2.0
internal import Logging
internal import MDMProtocol
internal import Storage

/// Accepts devices' results and delivers the next command.
struct NextCommand: Sendable {
    let database: any Database
    let sources: MDMSources
    let sealer: SecretSealer
    /// How many of a device's finished commands are kept.
    let history: Int
    let renewal: IdentityRenewal

    /// Handles a request of a device: records its result, if any, and chooses the next command.
    ///
    /// - Returns: the next command's bytes; nil if the device may close the connection.
    func handle(_ body: [UInt8], tenant: TenantID, fingerprint: CertificateFingerprint) async throws -> [UInt8]? {
        let result = try Self.result(body)
        let now = sources.now()
        if result.userID != nil {
            // There are no commands for user channels, and a result on a user channel is not a result of the device.
            _ = try await database.read { connection in
                try Self.authenticate(result, tenant: tenant, fingerprint: fingerprint, now: now, in: connection)
            }
            return nil
        }
        if result.status == .idle,
            try await hasNothing(for: result, tenant: tenant, fingerprint: fingerprint, now: now)
        {
            return nil
        }
        let (next, finished) = try await database.write { connection in
            let enrollment = try Self.authenticate(
                result, tenant: tenant, fingerprint: fingerprint, now: now, in: connection)
            try Enrollments(connection: connection, tenant: tenant).confirm(enrollment)
            return try turn(result, body: body, tenant: tenant, now: now, in: connection)
        }
        if let finished {
            var metadata: Logger.Metadata = [
                "device.udid": "\(result.device)", "command.uuid": "\(finished.uuid)",
                "command.type": "\(finished.requestType)", "status": "\(result.status.rawValue)",
            ]
            if let problem = result.installationProblem { metadata["app"] = "\(problem.message)" }
            Logger.current.info("command finished", metadata: metadata)
        }
        return next
    }

    /// Returns whether there is nothing to do after an Idle message. For most requests there is nothing to do, and
    /// nothing is written to the database. Queues a renewal if the device's identity is old.
    private func hasNothing(
        for result: CommandResult, tenant: TenantID, fingerprint: CertificateFingerprint, now: Timestamp
    ) async throws -> Bool {
        let (enrollment, isWaiting) = try await database.read { connection in
            let enrollment = try Self.authenticate(
                result, tenant: tenant, fingerprint: fingerprint, now: now, in: connection)
            let queue = CommandQueue(connection: connection, tenant: tenant, udid: result.device)
            return (enrollment, try queue.isWaiting())
        }
        let isRenewed = try await renewal.renew(enrollment, tenant: tenant, now: now)
        return !isWaiting && !isRenewed && enrollment.state != .renewing
    }

    private static func result(_ body: [UInt8]) throws -> CommandResult {
        try DeviceRefusal.reading(body) { propertyList in
            guard CheckInMessage.isMeant(by: propertyList) else { return try CommandResult(propertyList: propertyList) }
            throw DeviceRefusal.malformed(
                "The body is a check-in message, but its content type is not. Send it as \(CheckInMessage.mediaType)."
            )
        }
    }

    /// Refuses the request unless the certificate belongs to the device that the message names.
    private static func authenticate(
        _ result: CommandResult, tenant: TenantID, fingerprint: CertificateFingerprint, now: Timestamp,
        in connection: any Connection
    ) throws -> Enrollment {
        let enrollment = try Enrollments(connection: connection, tenant: tenant).living(
            fingerprint: fingerprint, now: now)
        // No device has used the certificate in `Authenticate` yet, so it belongs to no device.
        guard let udid = enrollment.udid else { throw DeviceRefusal.unrecognized }
        guard udid == result.device else { throw DeviceRefusal.otherDevice }
        return enrollment
    }

    /// Records a result and chooses the next command.
    private func turn(
        _ result: CommandResult, body: [UInt8], tenant: TenantID, now: Timestamp, in connection: any Connection
    ) throws -> (next: [UInt8]?, finished: QueuedCommand?) {
        let queue = CommandQueue(connection: connection, tenant: tenant, udid: result.device)
        let devices = DeviceRecords(connection: connection, tenant: tenant)
        let finished = try queue.record(result, body: body, now: now, history: history)
        if let finished, let device = try devices.find(result.device) {
            let inventory = Inventory(connection: connection, tenant: tenant, udid: result.device)
            try inventory.record(result.answer)
            try inventory.note(device.dueInventory.after(finished.requestType, result.status))
            if result.status != .acknowledged {
                try Enrollments(connection: connection, tenant: tenant).abandon(
                    renewalCommand: finished.uuid, udid: result.device)
            }
        }
        // After NotNow the device returns on its own, but only if NotNow was the last message on this connection.
        guard result.status != .notNow, let device = try devices.find(result.device), device.state == .enrolled
        else { return (nil, finished) }
        guard let head = try queue.head() ?? ask(device.dueInventory.commands, of: queue, now: now) else {
            return (nil, finished)
        }
        if head.state != .sent { try queue.markSent(head.position) }
        return (try sealer.open(try queue.sealedBody(of: head), queue.purpose(head.uuid)), finished)
    }

    /// Queues the due inventory requests for a device that has no other commands, and returns the first of them.
    private func ask(
        _ commands: [MDMProtocol.Command], of queue: CommandQueue, now: Timestamp
    ) throws -> QueuedCommand? {
        for command in commands {
            try queue.append(
                CommandRequest(uuid: sources.uuid(), command: command), now: now, limit: commands.count, sealer: sealer,
                isDeviceHere: true)
        }
        return try queue.head()
    }
}
