// SPDX-License-Identifier: Apache-2.0
internal import CPostgreSQL
internal import Glibc
internal import Storage
internal import UnixSocket

/// One connection to the server, with its prepared statements. It belongs to one thread, and its methods block that
/// thread.
///
/// Waiting ends when the task is cancelled or when a deadline passes. After a ``Failure`` whose kind ends the
/// connection, the connection must not be used again.
@safe final class ServerConnection {
    private let connection: OpaquePointer
    private let wakeUp: WakeUp
    private var statements: [StatementKey: Statement] = [:]
    /// Whether the server was asked to cancel a statement. The request may arrive late and hit a later statement, so
    /// the connection must be closed after its transaction.
    private(set) var isSpent = false

    private struct StatementKey: Hashable {
        let pieces: [String]
        let types: [Oid]
    }

    private struct Statement {
        let name: String
        /// The names of the result's columns; nil until the statement has run.
        var columns: [String]?
    }

    /// Opens a connection.
    ///
    /// - Throws: ``Failure`` if the server cannot be reached, refuses the connection, or does not answer within
    ///   `limit`.
    init(to address: ConnectionParameters, limit: Duration, wakeUp: WakeUp) throws(Failure) {
        guard let connection = unsafe try address.start() else {
            throw Failure(.unavailable, as: .unavailable, "there is no memory for a connection to PostgreSQL")
        }
        unsafe self.connection = unsafe connection
        self.wakeUp = wakeUp
        // libpq would otherwise print notices, which may contain values.
        unsafe PQsetNoticeReceiver(connection, { _, _ in }, nil)
        try finishConnecting(until: .now + limit)
        unsafe PQsetnonblocking(connection, 1)
    }

    deinit { unsafe PQfinish(connection) }

    private func finishConnecting(until deadline: ContinuousClock.Instant) throws(Failure) {
        var state = PGRES_POLLING_WRITING
        while unsafe PQstatus(connection) != CONNECTION_BAD {
            switch state {
            case PGRES_POLLING_OK: return
            case PGRES_POLLING_FAILED: throw refusal
            default:
                let events = state == PGRES_POLLING_READING ? POLLIN : POLLOUT
                if Task.isCancelled { throw .cancelled }
                try wait(for: Int16(events), until: deadline)
                if Task.isCancelled { throw .cancelled }
                unsafe state = PQconnectPoll(connection)
            }
        }
        throw refusal
    }

    /// The failure of a connection that was not established. libpq's text contains the address, the user, the database
    /// and the reason, but never a password.
    private var refusal: Failure {
        let text = unsafe String(cString: PQerrorMessage(connection)).split(whereSeparator: \.isNewline)
        return Failure(
            .unavailable, as: .unavailable,
            "PostgreSQL cannot be reached: " + text.joined(separator: "; ").replacing("\t", with: ""))
    }

    /// Whether no transaction is open and the connection can be used.
    var isIdle: Bool { unsafe PQtransactionStatus(connection) == PQTRANS_IDLE }

    /// Whether the connection is known to be lost.
    var isLost: Bool { unsafe PQstatus(connection) == CONNECTION_BAD }

    /// Runs a statement without parameters, such as `BEGIN`, and returns the command that the server performed.
    ///
    /// - Parameter isCancellable: whether the statement is cancelled together with the task.
    @discardableResult
    func command(_ text: String, limit: Duration, isCancellable: Bool = true) throws(Failure) -> String {
        guard unsafe PQsendQuery(connection, text) == 1 else { throw lost }
        return try checked(answer(limit, isCancellable), isPreparation: false).command
    }

    /// Runs a statement and returns how many rows it changed.
    func execute(_ sql: SQL, limit: Duration) throws(Failure) -> Int {
        try run(sql, limit: limit).result.changedRows
    }

    /// Runs a statement and returns its rows.
    func rows(_ sql: SQL, limit: Duration) throws(Failure) -> [Row] {
        let (key, result) = try run(sql, limit: limit)
        // The names are the same for each run, so all rows share one array.
        let names = statements[key]?.columns ?? result.names
        statements[key]?.columns = names
        return try result.rows(names: names)
    }

    /// Runs a statement. It is prepared the first time.
    private func run(_ sql: SQL, limit: Duration) throws(Failure) -> (key: StatementKey, result: ServerResult) {
        if Task.isCancelled { throw .cancelled }
        let values = try BoundValues(sql.parameters)
        let key = StatementKey(pieces: sql.pieces, types: values.types)
        let statement = if let known = statements[key] { known } else { try prepare(sql, as: key, limit: limit) }
        let isSent = unsafe values.withPointers { values, lengths, formats in
            unsafe PQsendQueryPrepared(
                connection, statement.name, Int32(sql.parameters.count), values, lengths, formats, 0) == 1
        }
        guard isSent else { throw lost }
        return (key, try checked(answer(limit), isPreparation: false))
    }

    /// The maximum number of prepared statements, which is more than the program has. The limit keeps statements that
    /// are put together at run time from filling the server's memory.
    private static let maximumStatements = 1000

    private func prepare(_ sql: SQL, as key: StatementKey, limit: Duration) throws(Failure) -> Statement {
        if statements.count >= Self.maximumStatements {
            try command("DEALLOCATE ALL", limit: limit)
            statements = [:]
        }
        let text: String
        do throws(StorageError) { text = try StatementText.text(of: sql) } catch {
            throw Failure(.refused, as: error.code, error.message)
        }
        let statement = Statement(name: "s\(statements.count)")
        guard unsafe PQsendPrepare(connection, statement.name, text, Int32(key.types.count), key.types) == 1 else {
            throw lost
        }
        _ = try checked(answer(limit), isPreparation: true)
        statements[key] = statement
        return statement
    }

    private func checked(_ result: ServerResult, isPreparation: Bool) throws(Failure) -> ServerResult {
        guard !result.isSuccess else { return result }
        let failure = result.report(isPreparation: isPreparation).failure
        if isLost, !failure.kind.endsConnection { throw lost }
        if Task.isCancelled, !isLost, failure.error.code == .busy { throw .cancelled }
        throw failure
    }

    private var lost: Failure { Failure(.lost, as: .unavailable, "the connection to PostgreSQL is lost") }

    /// Sends what libpq has buffered and returns the answer to the last statement.
    private func answer(_ limit: Duration, _ isCancellable: Bool = true) throws(Failure) -> ServerResult {
        // The server ends a statement at its own limit. This deadline is for a server that does not answer at all.
        let deadline = ContinuousClock.now + limit + Self.patience
        var cancellation: ContinuousClock.Instant? = isCancellable ? .now : nil
        while true {
            let flushed = unsafe PQflush(connection)
            guard flushed >= 0 else { throw lost }
            try wait(for: Int16(flushed == 1 ? POLLIN | POLLOUT : POLLIN), until: deadline, &cancellation)
            // After the connection is lost, libpq still holds what the server sent before.
            if unsafe PQconsumeInput(connection) == 0 { break }
            if unsafe flushed == 0 && PQisBusy(connection) == 0 { break }
        }
        var answer: ServerResult?
        while true {
            while unsafe PQisBusy(connection) == 1 {
                try wait(for: Int16(POLLIN), until: deadline, &cancellation)
                if unsafe PQconsumeInput(connection) == 0 { break }
            }
            guard let result = unsafe PQgetResult(connection) else { break }
            let next = unsafe ServerResult(owning: result)
            if answer?.isSuccess != false { answer = next }
        }
        guard let answer else { throw lost }
        return answer
    }

    private static let patience = Duration.seconds(5)

    private func wait(for events: Int16, until deadline: ContinuousClock.Instant) throws(Failure) {
        var never: ContinuousClock.Instant?
        try wait(for: events, until: deadline, &never)
    }

    /// Waits until the server's socket is ready for any of `events`.
    ///
    /// - Parameter cancellation: the next time at which the server is asked to cancel the statement, if the task is
    ///   cancelled by then. The server ignores a cancellation that arrives before its statement, so cancellations are
    ///   repeated.
    private func wait(
        for events: Int16, until deadline: ContinuousClock.Instant, _ cancellation: inout ContinuousClock.Instant?
    ) throws(Failure) {
        while true {
            let now = ContinuousClock.now
            guard now < deadline else {
                throw Failure(.unavailable, as: .unavailable, "PostgreSQL does not answer in time")
            }
            var wake = deadline
            if Task.isCancelled, let next = cancellation {
                if next <= now {
                    requestCancellation()
                    cancellation = now + .milliseconds(200)
                }
                wake = min(deadline, cancellation ?? deadline)
            }
            var files = [
                pollfd(fd: unsafe PQsocket(connection), events: events, revents: 0),
                pollfd(fd: wakeUp.receiver.withNumber { $0 }, events: Int16(POLLIN), revents: 0),
            ]
            let milliseconds = (wake - now).milliseconds + 1
            _ = unsafe poll(&files, 2, Int32(clamping: milliseconds))
            if files[1].revents != 0 { wakeUp.clear() }
            if files[0].revents != 0 { return }
            // At most a part of the handshake has been sent, so there is no statement to cancel.
            if Task.isCancelled, cancellation == nil, !isEstablished { return }
        }
    }

    /// Waits until the server sends something, the thread is woken, or a deadline passes.
    func awaitInput(until deadline: ContinuousClock.Instant) {
        var files = [
            pollfd(fd: unsafe PQsocket(connection), events: Int16(POLLIN), revents: 0),
            pollfd(fd: wakeUp.receiver.withNumber { $0 }, events: Int16(POLLIN), revents: 0),
        ]
        let milliseconds = max(0, (deadline - .now).milliseconds + 1)
        _ = unsafe poll(&files, 2, Int32(clamping: milliseconds))
        if files[1].revents != 0 { wakeUp.clear() }
    }

    /// Returns the texts of the notifications that have arrived, on all channels of the connection.
    func notifications() throws(Failure) -> [String] {
        guard unsafe PQconsumeInput(connection) == 1 else { throw lost }
        var texts: [String] = []
        while let notification = unsafe PQnotifies(connection) {
            unsafe texts.append(String(cString: notification.pointee.extra))
            unsafe PQfreemem(notification)
        }
        return texts
    }

    private var isEstablished: Bool { unsafe PQstatus(connection) == CONNECTION_OK }

    /// Asks the server to cancel the running statement, on a separate connection. libpq does not encrypt that
    /// connection, but the connection carries neither values nor statements.
    private func requestCancellation() {
        isSpent = true
        guard let request = unsafe PQgetCancel(connection) else { return }
        defer { unsafe PQfreeCancel(request) }
        var message = [CChar](repeating: 0, count: 256)
        _ = unsafe PQcancel(request, &message, Int32(message.count))
    }
}
