// SPDX-License-Identifier: Apache-2.0
internal import CPostgreSQL
internal import Processes
internal import TestSupport

/// Runs statements as the superuser, one after the other and outside any transaction, because PostgreSQL refuses them
/// in a transaction.
///
/// The connection belongs to a thread of its own and ends with this object.
final class ClusterAdministrator: Sendable {
    private enum Message {
        case run([String], CheckedContinuation<Void, any Error>)
        case end
    }

    private let messages = Mailbox<Message>()

    init(of cluster: PostgreSQLCluster) throws {
        let folder = cluster.folder
        try BlockingThread.start { [messages] in
            let connection = unsafe PQsetdbLogin(
                folder, nil, nil, nil, PostgreSQLCluster.database, PostgreSQLCluster.superuser, nil)
            defer { unsafe PQfinish(connection) }
            while case .run(let statements, let continuation) = messages.take() {
                continuation.resume(
                    with: Result { for statement in statements { try unsafe Self.run(statement, connection) } })
            }
        }
    }

    deinit { messages.post(.end) }

    /// - Throws: ``TestProblem`` with the server's error.
    func run(_ statements: [String]) async throws {
        try await withCheckedThrowingContinuation { messages.post(.run(statements, $0)) }
    }

    private static func run(_ statement: String, _ connection: OpaquePointer?) throws {
        let result = unsafe PQexec(connection, statement)
        defer { unsafe PQclear(result) }
        guard unsafe PQresultStatus(result) == PGRES_COMMAND_OK else {
            throw TestProblem("\(statement): \(unsafe String(cString: PQerrorMessage(connection)))")
        }
    }
}
