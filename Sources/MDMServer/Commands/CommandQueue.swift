// SPDX-License-Identifier: Apache-2.0
internal import MDMProtocol
internal import Storage

/// The UUID that identifies a command between server and device.
typealias CommandUUID = ForeignID<QueuedCommand>

/// A command for a device, and its result.
struct QueuedCommand: Sendable {
    /// The state of a command; in the first three states the command is waiting.
    enum State: String, ColumnValue {
        case queued, sent, notNow
        case acknowledged, error, formatError
        /// The device left before it answered.
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
    let uuid: CommandUUID
    let requestType: String
    /// The profile or app that the command concerns.
    let subject: String?
    let state: State
    let enqueuedAt: Timestamp
    let finishedAt: Timestamp?
    let result: [UInt8]?
}

extension QueuedCommand: Record {
    static let table = "command"
    static let unread: Set<Column> = [.body, .sealedBody]

    enum Column: String, ColumnName {
        case tenant, udid, position, uuid, requestType, subject, body, sealedBody, state, enqueuedAt, finishedAt, result
    }

    init(_ row: TableRow<QueuedCommand>) throws {
        self.init(
            position: try row[.position], uuid: try row[.uuid], requestType: try row[.requestType],
            subject: try row[.subject],
            state: try row[.state], enqueuedAt: try row[.enqueuedAt], finishedAt: try row[.finishedAt],
            result: try row[.result])
    }
}

/// The commands of one device: first in, first out, at most one outstanding.
struct CommandQueue {
    let connection: any Connection
    let tenant: TenantID
    let udid: UDID

    /// Appends a command. The command is sealed, because it may contain a key. Unless the device is already connected,
    /// announces ``DeviceWork``, so that the device is asked to check in.
    ///
    /// - Throws: ``MDMAdminRefusal`` `queueFull`.
    func append(
        _ request: CommandRequest, about subject: String? = nil, now: Timestamp, limit: Int, sealer: SecretSealer,
        isDeviceHere: Bool = false
    ) throws {
        let queue: SQL = "WHERE tenant = \(tenant) AND udid = \(udid)"
        guard try connection.count(of: QueuedCommand.self, "\(queue) AND finishedAt IS NULL") < limit else {
            throw MDMAdminRefusal(.queueFull)
        }
        let last: Int64? = try connection.value(
            .position, of: QueuedCommand.self, "\(queue) ORDER BY position DESC LIMIT 1")
        let uuid = CommandUUID(rawValue: request.uuid)
        let sealed = try sealer.seal(try request.propertyList.xml(), purpose(uuid))
        try connection.insert(
            into: QueuedCommand.self,
            [
                .tenant: tenant, .udid: udid, .position: (last ?? 0) + 1, .uuid: uuid,
                .requestType: request.command.requestType, .subject: subject, .body: [UInt8](), .sealedBody: sealed,
                .state: QueuedCommand.State.queued, .enqueuedAt: now,
            ])
        if !isDeviceHere { try connection.announce(DeviceWork(EnrolledDeviceID(tenant: tenant, udid: udid))) }
    }

    /// Returns the next or outstanding command; nil if no command is waiting.
    func head() throws -> QueuedCommand? {
        try connection.record(
            QueuedCommand.self,
            "WHERE tenant = \(tenant) AND udid = \(udid) AND finishedAt IS NULL ORDER BY position LIMIT 1")
    }

    /// Whether there is work for the device: a waiting command, or a due inventory.
    func isWaiting() throws -> Bool {
        if try head() != nil { return true }
        let device = try DeviceRecords(connection: connection, tenant: tenant).find(udid)
        return device.map { $0.state == .enrolled && !$0.dueInventory.isEmpty } ?? false
    }

    /// Returns the sealed body of a waiting command.
    ///
    /// - Throws: ``StorageError``, for example if there is no such command.
    func sealedBody(of command: QueuedCommand) throws -> [UInt8] {
        let body: [UInt8]? = try connection.optionalValue(
            .sealedBody, of: QueuedCommand.self,
            "WHERE tenant = \(tenant) AND udid = \(udid) AND position = \(command.position)")
        guard let body else { throw StorageError(.unexpectedValue, "a waiting command is missing") }
        return body
    }

    /// The sealing purpose of a command's bytes, bound to this command of this device.
    func purpose(_ uuid: CommandUUID) -> String { "command \(tenant) \(uuid) \(udid)" }

    /// Marks the first command as sent.
    func markSent(_ position: Int64) throws {
        try connection.execute(
            """
            UPDATE command SET state = \(QueuedCommand.State.sent)
            WHERE tenant = \(tenant) AND udid = \(udid) AND position = \(position) AND finishedAt IS NULL
            """)
    }

    /// Records a result for the outstanding command. A result for any other command changes nothing.
    ///
    /// After a final result, deletes the command's body, which may contain a key, and the oldest results if there are
    /// more than `history`.
    ///
    /// - Returns: the command, if this was its first final result.
    func record(_ result: CommandResult, body: [UInt8], now: Timestamp, history: Int) throws -> QueuedCommand? {
        guard let head = try head(), head.uuid.rawValue == result.commandUUID, head.state != .queued else {
            return nil
        }
        guard result.status.isFinal else {
            try connection.execute(
                """
                UPDATE command SET state = \(QueuedCommand.State(result.status))
                WHERE tenant = \(tenant) AND udid = \(udid) AND position = \(head.position)
                """)
            return nil
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
        return head
    }

    /// Drops waiting commands: all of them, or only those that were delivered but not answered.
    func drop(now: Timestamp, onlyDelivered: Bool) throws {
        try connection.execute(
            """
            UPDATE command SET state = \(QueuedCommand.State.dropped), sealedBody = NULL, finishedAt = \(now)
            WHERE tenant = \(tenant) AND udid = \(udid) AND finishedAt IS NULL
                AND (\(onlyDelivered) = \(false) OR state <> \(QueuedCommand.State.queued))
            """)
    }

    /// Returns the latest commands, the newest first.
    func latest(_ count: Int) throws -> [QueuedCommand] {
        try connection.records(
            QueuedCommand.self,
            "WHERE tenant = \(tenant) AND udid = \(udid) ORDER BY position DESC LIMIT \(count)")
    }
}
