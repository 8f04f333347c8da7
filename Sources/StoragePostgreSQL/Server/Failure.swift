// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// Why an attempt at a transaction failed, and what this means for the connection and for the transaction.
struct Failure: Error {
    enum Kind {
        /// The server refused a statement. The connection can be used after a rollback.
        case refused
        /// The transaction conflicts with another one. It may succeed if it is repeated.
        case conflict
        /// A prepared statement no longer fits the tables. The transaction may succeed on a new connection.
        case stale
        /// The connection is gone. The transaction is rolled back, and may succeed on a new connection.
        case lost
        /// The server cannot be reached or does not answer in time. The connection, if there was one, is unusable.
        case unavailable
        /// The connection was lost during the commit.
        case unknownOutcome
        /// The task was cancelled.
        case cancelled

        /// Whether the connection must be closed.
        var endsConnection: Bool {
            switch self {
            case .refused, .conflict, .cancelled: false
            case .stale, .lost, .unavailable, .unknownOutcome: true
            }
        }
    }

    let kind: Kind
    let error: StorageError

    init(_ kind: Kind, as code: StorageError.Code, _ message: String) {
        (self.kind, error) = (kind, StorageError(code, message))
    }

    /// The failure of a task that was cancelled. Callers see a `CancellationError`.
    static var cancelled: Failure { Failure(.cancelled, as: .failed, "the task was cancelled") }

    /// The error for the caller.
    var thrown: any Error { kind == .cancelled ? CancellationError() : error }
}

/// An error that the server reported, without any bound value.
struct ServerReport {
    /// The SQLSTATE: five characters.
    let state: String
    /// The main text of an error in the preparation of a statement; nil for any other error. During execution the text
    /// may contain bound values. During preparation it cannot, because the values are sent later.
    let text: String?
    let names: [String]

    /// The failure that this error means for the transaction and the connection, if the connection is still open.
    var failure: Failure {
        switch state {
        case "40001", "40P01": Failure(.conflict, as: .busy, "the transaction conflicts with others (\(summary))")
        case "0A000", "26000": Failure(.stale, as: .failed, summary)
        case "55P03": Failure(.refused, as: .busy, "another transaction holds a lock for too long (\(summary))")
        case "57014": Failure(.refused, as: .busy, "a statement took too long (\(summary))")
        case "53100": Failure(.refused, as: .full, summary)
        case _ where state.hasPrefix("53"): Failure(.refused, as: .unavailable, summary)
        case "23505": Failure(.refused, as: .conflict, summary)
        case _ where state.hasPrefix("23"): Failure(.refused, as: .constraint, summary)
        case _ where state.hasPrefix("57P") || state.hasPrefix("08"): Failure(.lost, as: .unavailable, summary)
        default: Failure(.refused, as: .failed, summary)
        }
    }

    private var summary: String {
        ([Self.meanings[state].map { "SQLSTATE \(state), \($0)" } ?? "SQLSTATE \(state)"] + names
            + [text].compactMap(\.self)).joined(separator: ", ")
    }

    /// Texts for errors that an operator may have to act on.
    private static let meanings = [
        "25006": "a read changes nothing", "42501": "the role lacks a privilege", "53100": "the server's disk is full",
        "53200": "the server is out of memory", "53300": "the server has no connection left",
        "57P01": "the server closed the connection", "57P02": "the server crashed", "57P03": "the server is starting",
    ]
}
