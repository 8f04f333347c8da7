// SPDX-License-Identifier: Apache-2.0
package import Storage

/// One line of the audit log.
package struct AuditEntry: Sendable {
    package let position: Int64
    package let time: Timestamp
    package let actor: String
    package let action: String
    package let subject: String?
    package let outcome: String
    /// How often it happened, where it stands for the like of it within ten minutes.
    package let repetitions: Int64
    /// The method that a sign-in came by.
    package let method: SignInMethod?
    /// The id of the request that it was done in: the client's own, or the server's.
    package let correlation: String?
}

extension AuditEntry: Record {
    package static let table = "audit"

    package enum Column: String, ColumnName {
        case tenant, position, time, actor, action, subject, outcome, repetitions, method, correlation
    }

    package init(_ row: TableRow<AuditEntry>) throws {
        self.init(
            position: try row[.position], time: try row[.time], actor: try row[.actor], action: try row[.action],
            subject: try row[.subject], outcome: try row[.outcome], repetitions: try row[.repetitions],
            method: try row[.method], correlation: try row[.correlation])
    }
}

/// The append-only record of administrative acts and sign-ins, in the transaction of the act itself: what is not
/// recorded did not happen. It names people by object id, never by name.
package struct AuditLog {
    /// Who acted, where it was the operator of the machine.
    package static let localOperator = "operator"
    /// Who acted, where nobody asked for it.
    static let server = "server"

    /// The id of the request at hand; a transaction's body runs in the task that asked for it, and so sees it.
    @TaskLocal package static var correlation: String?

    private let connection: any Connection

    package init(_ connection: any Connection) { self.connection = connection }

    /// Appends a line.
    ///
    /// - Throws: ``StorageError``
    package func append(
        _ action: AuditAction, tenant: TenantID, actor: String, subject: String?, outcome: String = "done",
        method: SignInMethod? = nil, at time: Timestamp
    ) throws {
        let last = try connection.row("SELECT MAX(position) AS last FROM audit WHERE tenant = \(tenant)")
        let position: Int64? = try last?["last"]
        try connection.insert(
            into: AuditEntry.self,
            [
                .tenant: tenant, .position: (position ?? 0) + 1, .time: time, .actor: actor, .action: action,
                .subject: subject, .outcome: outcome, .repetitions: 1, .method: method,
                .correlation: Self.correlation,
            ])
    }

    /// Counts a line up that says the same and is younger than ten minutes; appends one where there is none. For what
    /// strangers can bring about as often as they like.
    ///
    /// - Throws: ``StorageError``
    package func appendOrCount(
        _ action: AuditAction, tenant: TenantID, actor: String, subject: String?, outcome: String,
        method: SignInMethod? = nil, at time: Timestamp
    ) throws {
        let same: Int64? = try connection.value(
            .position, of: AuditEntry.self,
            """
            WHERE tenant = \(tenant) AND actor = \(actor) AND time > \(time - .seconds(600)) AND action = \(action)
                AND outcome = \(outcome) AND COALESCE(subject, '') = \(subject ?? "")
                AND COALESCE(method, '') = \(method?.rawValue ?? "")
            ORDER BY position DESC LIMIT 1
            """)
        guard let same else {
            try append(
                action, tenant: tenant, actor: actor, subject: subject, outcome: outcome, method: method, at: time)
            return
        }
        try connection.execute(
            """
            UPDATE audit SET repetitions = repetitions + 1
            WHERE tenant = \(tenant) AND position = \(same)
            """)
    }

    /// The newest lines, oldest of them first.
    ///
    /// - Throws: ``StorageError``
    package func latest(_ count: Int, tenant: TenantID) throws -> [AuditEntry] {
        try connection.records(
            AuditEntry.self, "WHERE tenant = \(tenant) ORDER BY position DESC LIMIT \(count)"
        ).reversed()
    }

    /// Lines that meet the condition and stand before a position, the newest first.
    ///
    /// - Throws: ``StorageError``
    func lines(where condition: SQL, before: Int64, limit: Int, tenant: TenantID) throws -> [AuditEntry] {
        try connection.records(
            AuditEntry.self,
            """
            WHERE tenant = \(tenant) AND position < \(before)\(condition) ORDER BY position DESC LIMIT \(limit)
            """)
    }
}
