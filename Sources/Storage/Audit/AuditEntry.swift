// SPDX-License-Identifier: Apache-2.0

/// One line of an audit log.
package struct AuditEntry: Sendable {
    package let position: Int64
    package let time: Timestamp
    /// Who did it: an object id, or ``AuditLog/localOperator`` or ``AuditLog/server``.
    package let actor: String
    package let action: String
    /// What it was done to.
    package let subject: String?
    /// `done`, `refused`, or why a session ended.
    package let outcome: String
    /// How often it happened, where the line stands for the like of it within ten minutes.
    package let repetitions: Int64
    /// The method that a sign-in came by.
    package let method: SignInMethod?
    /// The command that was queued, the version that was offered.
    package let detail: String?
    /// The id of the request that it was done in: the client's own, or the server's.
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

/// What was done; each engine lists its own actions in a file of its own.
package struct AuditAction: RawRepresentable, Hashable, ColumnValue {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }
}

/// How a person signed in.
package struct SignInMethod: RawRepresentable, Hashable, ColumnValue {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }
}
