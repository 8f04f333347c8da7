// SPDX-License-Identifier: Apache-2.0
internal import DeviceManagement
internal import Logging
internal import Storage

/// Takes results and hands out commands.
struct CommandLoop: Sendable {
    let management: Management

    /// - Returns: the next command's bytes; nil where the device may close the connection.
    func handle(_ body: [UInt8], tenant: String, fingerprint: String) async throws -> [UInt8]? {
        let result = try Self.result(body)
        let now = management.sources.now()
        // Most requests are an Idle with nothing to do; those write nothing.
        if result.status == .idle {
            let isWaiting = try await management.database.read { connection in
                try Self.authenticate(result, tenant: tenant, fingerprint: fingerprint, now: now, in: connection)
                return try CommandQueue(connection: connection, tenant: tenant, udid: result.udid).head() != nil
            }
            guard isWaiting else { return nil }
        }
        let (next, recorded) = try await management.database.write { connection in
            try Self.authenticate(result, tenant: tenant, fingerprint: fingerprint, now: now, in: connection)
            return try Self.turn(result, body: body, tenant: tenant, now: now, in: connection)
        }
        if recorded {
            let metadata: Logger.Metadata = [
                "device.udid": "\(result.udid)", "command.uuid": "\(result.commandUUID ?? "")",
                "status": "\(result.status.rawValue)",
            ]
            Logger.current.info("command finished", metadata: metadata)
        }
        return next
    }

    private static func result(_ body: [UInt8]) throws -> CommandResult {
        do { return try CommandResult(propertyList: PropertyList(xml: body)) } catch let error as PropertyListError {
            throw DeviceRefusal.malformed("The body is no property list: \(error)")
        } catch let error as FieldError {
            throw DeviceRefusal.malformed("The message is malformed: \(error)")
        }
    }

    /// Refuses whoever is not the device that the message names.
    private static func authenticate(
        _ result: CommandResult, tenant: String, fingerprint: String, now: Int64, in connection: any Connection
    ) throws {
        let enrolment = try Enrolments(connection: connection, tenant: tenant).living(
            fingerprint: fingerprint, now: now)
        // A certificate that has not authenticated yet is no device.
        guard enrolment.state == .bound else { throw DeviceRefusal.unrecognized }
        guard enrolment.udid == result.udid else { throw DeviceRefusal.otherDevice }
    }

    private static func turn(
        _ result: CommandResult, body: [UInt8], tenant: String, now: Int64, in connection: any Connection
    ) throws -> (next: [UInt8]?, recorded: Bool) {
        let queue = CommandQueue(connection: connection, tenant: tenant, udid: result.udid)
        let recorded = try queue.record(result, body: body, now: now)
        if recorded {
            try Inventory(connection: connection, tenant: tenant, udid: result.udid).record(result.answer)
        }
        // After NotNow the device comes back by itself, but only if that was the last word on this connection.
        guard result.status != .notNow else { return (nil, recorded) }
        guard try Devices(connection: connection, tenant: tenant).find(result.udid)?.state == .enrolled,
            let head = try queue.head()
        else { return (nil, recorded) }
        if head.state != .sent { try queue.markSent(head.position) }
        return (head.body, recorded)
    }
}
