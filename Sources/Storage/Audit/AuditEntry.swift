// SPDX-License-Identifier: Apache-2.0

/// One line of an audit log.
package struct AuditEntry: Sendable {
    package let position: Int64
    package let time: Timestamp
    /// The actor: an object id, ``AuditLog/localOperator`` or ``AuditLog/server``.
    package let actor: String
    package let action: String
    /// The objects of the action, such as an object id; several values are separated by spaces.
    package let subject: String?
    /// `done`, `refused`, or why a session ended.
    package let outcome: String
    /// How often the event happened. Equal events within ten minutes share one line.
    package let repetitions: Int64
    /// How the person signed in; nil for other actions.
    package let method: SignInMethod?
    /// More about the action, such as the queued command or the offered version.
    package let detail: String?
    /// The id of the request: the client's own, or one made by the server.
    package let correlation: String?
}

extension AuditEntry: Record {
    package static let table = "audit"

    package enum Column: String, ColumnName {
        case tenant, position, time, actor, action, subject, outcome, repetitions, method, detail, correlation
    }

    package init(_ row: TableRow<AuditEntry>) throws {
        self.init(
            position: try row[.position], time: try row[.time], actor: try row[.actor], action: try row[.action],
            subject: try row[.subject], outcome: try row[.outcome], repetitions: try row[.repetitions],
            method: try row[.method], detail: try row[.detail], correlation: try row[.correlation])
    }
}

/// The action that a line records. Each engine lists its own actions in its own file.
package struct AuditAction: RawRepresentable, Hashable, ColumnValue {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }
}

/// How a person signed in.
package struct SignInMethod: RawRepresentable, Hashable, ColumnValue {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }
}
