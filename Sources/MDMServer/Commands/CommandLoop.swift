// SPDX-License-Identifier: Apache-2.0
internal import DeviceManagement
internal import Logging
internal import Storage

/// Takes results and hands out commands.
struct CommandLoop: Sendable {
    let database: any Database
    let sources: MDMSources
    let sealer: SecretSealer
    /// How many of a device's commands are remembered after they are done.
    let history: Int
    let renewal: IdentityRenewal

    /// - Returns: the next command's bytes; nil where the device may close the connection.
    func handle(_ body: [UInt8], tenant: TenantID, fingerprint: CertificateFingerprint) async throws -> [UInt8]? {
        let result = try Self.result(body)
        let now = sources.now()
        if result.status == .idle,
            try await hasNothing(for: result, tenant: tenant, fingerprint: fingerprint, now: now)
        {
            return nil
        }
        let (next, recorded) = try await database.write { connection in
            let enrollment = try Self.authenticate(
                result, tenant: tenant, fingerprint: fingerprint, now: now, in: connection)
            try Enrollments(connection: connection, tenant: tenant).confirm(enrollment)
            let turn = try Self.turn(result, body: body, tenant: tenant, now: now, history: history, in: connection)
            return (try turn.next.map { try sealer.open($0.sealed, $0.purpose) }, turn.recorded)
        }
        if recorded {
            let metadata: Logger.Metadata = [
                "device.udid": "\(result.device)", "command.uuid": "\(result.commandUUID ?? "")",
                "status": "\(result.status.rawValue)",
            ]
            Logger.current.info("command finished", metadata: metadata)
        }
        return next
    }

    /// Most requests are an Idle with nothing to do; those write nothing. A device whose identity grows old is given work.
    private func hasNothing(
        for result: CommandResult, tenant: TenantID, fingerprint: CertificateFingerprint, now: Timestamp
    ) async throws -> Bool {
        let (enrollment, isWaiting) = try await database.read { connection in
            let enrollment = try Self.authenticate(
                result, tenant: tenant, fingerprint: fingerprint, now: now, in: connection)
            let queue = CommandQueue(connection: connection, tenant: tenant, udid: result.device)
            return (enrollment, try queue.head() != nil)
        }
        let isRenewed = try await renewal.renew(enrollment, tenant: tenant, now: now)
        return !isWaiting && !isRenewed && enrollment.state != .renewing
    }

    private static func result(_ body: [UInt8]) throws -> CommandResult {
        try DeviceRefusal.reading(body, as: CommandResult.init(propertyList:))
    }

    /// Refuses whoever is not the device that the message names.
    private static func authenticate(
        _ result: CommandResult, tenant: TenantID, fingerprint: CertificateFingerprint, now: Timestamp,
        in connection: any Connection
    ) throws -> Enrollment {
        let enrollment = try Enrollments(connection: connection, tenant: tenant).living(
            fingerprint: fingerprint, now: now)
        // A certificate that has not authenticated yet is no device.
        guard let udid = enrollment.udid else { throw DeviceRefusal.unrecognized }
        guard udid == result.device else { throw DeviceRefusal.otherDevice }
        return enrollment
    }

    private static func turn(
        _ result: CommandResult, body: [UInt8], tenant: TenantID, now: Timestamp, history: Int,
        in connection: any Connection
    ) throws -> (next: (sealed: [UInt8], purpose: String)?, recorded: Bool) {
        let queue = CommandQueue(connection: connection, tenant: tenant, udid: result.device)
        let recorded = try queue.record(result, body: body, now: now, history: history)
        if recorded {
            try Inventory(connection: connection, tenant: tenant, udid: result.device).record(result.answer)
            if result.status != .acknowledged, let uuid = result.commandUUID {
                try Enrollments(connection: connection, tenant: tenant).abandon(
                    renewalCommand: CommandUUID(rawValue: uuid), udid: result.device)
            }
        }
        // After NotNow the device comes back by itself, but only if that was the last word on this connection.
        guard result.status != .notNow else { return (nil, recorded) }
        guard try DeviceRecords(connection: connection, tenant: tenant).find(result.device)?.state == .enrolled,
            let head = try queue.head()
        else { return (nil, recorded) }
        if head.state != .sent { try queue.markSent(head.position) }
        return ((try queue.sealedBody(of: head), queue.purpose(head.uuid)), recorded)
    }
}
