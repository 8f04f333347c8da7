// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// One transaction on a connection.
final class Transaction: Connection {
    private let server: ServerConnection
    private let access: PooledConnection.Access
    private let channel: NotificationChannel
    private let limit: Duration
    /// The announcements to deliver once the transaction is durable.
    private(set) var announcements: [any Announcement] = []
    /// The first failure of a statement. The server refuses every later statement, so the transaction cannot be
    /// committed even if the body catches the error.
    private var failure: Failure?

    init(
        _ server: ServerConnection, _ access: PooledConnection.Access, on channel: NotificationChannel, limit: Duration
    ) {
        (self.server, self.access) = (server, access)
        (self.channel, self.limit) = (channel, limit)
    }

    /// Runs the body, and notifies the other nodes of its announcements. The server sends these notifications when the
    /// transaction is committed.
    ///
    /// - Throws: ``Failure`` if a statement failed, otherwise the error of `body`. If `body` turned the refusal of a
    ///   statement into its own error, that error is thrown.
    func run<T>(_ body: (any Connection) throws -> T) throws -> T {
        let outcome = Result { try body(self) }
        defer { failure = failure ?? Failure(.refused, as: .failed, "the transaction has ended") }
        guard let failure else {
            if Task.isCancelled { throw Failure.cancelled }
            let value = try outcome.get()
            try channel.notify(announcements, over: server, limit: limit)
            return value
        }
        if failure.kind == .refused, case .failure(let error) = outcome, !(error is StorageError) { throw error }
        throw failure
    }

    /// Commits the transaction.
    ///
    /// - Throws: ``Failure``; with the kind `unknownOutcome` if the connection is lost before the server has answered a
    ///   commit that may have changed something.
    func commit() throws(Failure) {
        // If the connection is known to be lost before the commit is sent, the transaction is certainly not committed.
        guard !server.isLost else { throw Failure(.lost, as: .unavailable, "the connection to PostgreSQL is lost") }
        let done: String
        do throws(Failure) { done = try server.command("COMMIT", limit: limit, isCancellable: false) } catch {
            guard access == .write, error.kind == .lost || error.kind == .unavailable else { throw error }
            throw Failure(
                .unknownOutcome, as: .unknownOutcome,
                "the connection to PostgreSQL was lost during a commit, which may have succeeded")
        }
        guard done == "COMMIT" else { throw Failure(.refused, as: .failed, "PostgreSQL rolled the transaction back") }
    }

    func execute(_ sql: SQL) throws -> Int {
        try attempt { () throws(Failure) in try server.execute(sql, limit: limit) }
    }

    func rows(_ sql: SQL) throws -> [Row] {
        try attempt { () throws(Failure) in try server.rows(sql, limit: limit) }
    }

    func announce(_ announcement: any Announcement) throws {
        guard access == .write else { throw StorageError(.failed, "a read has nothing to announce") }
        guard announcement.message.isSendable else {
            throw StorageError(.unexpectedValue, "an announcement cannot be sent: \(announcement.message.kind)")
        }
        announcements.append(announcement)
    }

    private func attempt<T>(_ body: () throws(Failure) -> T) throws -> T {
        if let failure { throw failure.thrown }
        do throws(Failure) { return try body() } catch {
            failure = error
            throw error.thrown
        }
    }
}
