// SPDX-License-Identifier: Apache-2.0
internal import DeviceManagement
internal import Storage

/// A command on its way to a device, or back.
struct QueuedCommand: Sendable {
    /// Where a command stands; the first three wait.
    enum State: String, Sendable {
        case queued, sent, notNow
        case acknowledged, error, formatError
        /// The device left before it could answer.
        case dropped

        init(_ status: CommandResult.Status) {
            self =
                switch status {
                case .acknowledged: .acknowledged
                case .error: .error
                case .commandFormatError: .formatError
                case .notNow: .notNow
                case .idle: .queued
                }
        }
    }

    let position: Int64
    let uuid: String
    let requestType: String
    let state: State
    let enqueuedAt: Int64
    let finishedAt: Int64?
    let result: [UInt8]?
}

/// The commands of one device, first in, first out, at most one outstanding.
struct CommandQueue {
    let connection: any Connection
    let tenant: String
    let udid: String

    /// Appends a command, sealed, for it may hold a key, and announces the ``ManagedDevice`` that should come for it.
    ///
    /// - Throws: ``ManagementRefusal`` `queueFull`.
    func append(_ request: CommandRequest, now: Int64, limit: Int, sealer: SecretSealer) throws {
        let count = try connection.row(
            """
            SELECT COUNT(*), COALESCE((SELECT MAX(position) FROM command WHERE tenant = \(tenant) AND udid = \(udid)), 0)
            FROM command WHERE tenant = \(tenant) AND udid = \(udid) AND finishedAt IS NULL
            """)
        guard let count, try count.integer(0) < limit else { throw ManagementRefusal(.queueFull) }
        let position = try count.integer(1) + 1
        let sealed = try sealer.seal(try request.propertyList.xml(), purpose(request.uuid))
        try connection.execute(
            """
            INSERT INTO command (tenant, udid, position, uuid, requestType, body, sealedBody, state, enqueuedAt)
            VALUES (\(tenant), \(udid), \(position), \(request.uuid), \(request.command.requestType), \([UInt8]()),
                \(sealed), \(QueuedCommand.State.queued), \(now))
            """)
        try connection.announce(ManagedDevice(tenant: tenant, udid: udid))
    }

    /// The head's position, UUID, state and sealed bytes; nil where nothing waits.
    func head() throws -> (position: Int64, uuid: String, state: QueuedCommand.State, sealed: [UInt8])? {
        try connection.rows(
            """
            SELECT position, uuid, state, sealedBody FROM command
            WHERE tenant = \(tenant) AND udid = \(udid) AND finishedAt IS NULL ORDER BY position LIMIT 1
            """
        ).first.map { (try $0.integer(0), try $0.text(1), try $0.value(2), try $0.bytes(3)) }
    }

    /// What the bytes of a command are sealed for: this command of this device.
    func purpose(_ uuid: String) -> String { "command \(tenant) \(uuid) \(udid)" }

    /// Notes that the head is on its way.
    func markSent(_ position: Int64) throws {
        try connection.execute(
            """
            UPDATE command SET state = \(QueuedCommand.State.sent)
            WHERE tenant = \(tenant) AND udid = \(udid) AND position = \(position) AND finishedAt IS NULL
            """)
    }

    /// Records a result for the outstanding command; a result that names another one changes nothing.
    ///
    /// What was asked is forgotten with the final answer (it may hold a key), and the oldest answers beyond `history`.
    ///
    /// - Returns: whether this was the first final answer of the outstanding command.
    func record(_ result: CommandResult, body: [UInt8], now: Int64, history: Int) throws -> Bool {
        guard let head = try head(), head.uuid == result.commandUUID, head.state != .queued else { return false }
        guard result.status.isFinal else {
            try connection.execute(
                """
                UPDATE command SET state = \(QueuedCommand.State(result.status))
                WHERE tenant = \(tenant) AND udid = \(udid) AND position = \(head.position)
                """)
            return false
        }
        try connection.execute(
            """
            UPDATE command SET state = \(QueuedCommand.State(result.status)), sealedBody = NULL,
                finishedAt = \(now), result = \(body)
            WHERE tenant = \(tenant) AND udid = \(udid) AND position = \(head.position)
            """)
        try connection.execute(
            """
            DELETE FROM command WHERE tenant = \(tenant) AND udid = \(udid)
                AND position <= \(head.position - Int64(history)) AND finishedAt IS NOT NULL
            """)
        return true
    }

    /// Gives up what waits, or of that only what was delivered and not answered.
    func drop(now: Int64, onlyDelivered: Bool) throws {
        try connection.execute(
            """
            UPDATE command SET state = \(QueuedCommand.State.dropped), sealedBody = NULL, finishedAt = \(now)
            WHERE tenant = \(tenant) AND udid = \(udid) AND finishedAt IS NULL
                AND (\(onlyDelivered) = \(false) OR state <> \(QueuedCommand.State.queued))
            """)
    }

    /// The latest commands, the newest first.
    func latest(_ count: Int) throws -> [QueuedCommand] {
        try connection.rows(
            """
            SELECT position, uuid, requestType, state, enqueuedAt, finishedAt, result FROM command
            WHERE tenant = \(tenant) AND udid = \(udid) ORDER BY position DESC LIMIT \(count)
            """
        ).map { row in
            QueuedCommand(
                position: try row.integer(0), uuid: try row.text(1), requestType: try row.text(2),
                state: try row.value(3),
                enqueuedAt: try row.integer(4), finishedAt: try row.optionalInteger(5), result: try row.optionalBytes(6)
            )
        }
    }
}
