// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// What administrators of devices do; the words of the log, spelt once.
enum AuditAction: String, ColumnValue {
    case appOffered = "mdm.app.offer"
    case commandQueued = "mdm.command.queue"
    case deviceRemoved = "mdm.device.remove"
    case enrollmentMade = "mdm.enrollment.make"
    case enrollmentRevoked = "mdm.enrollment.revoke"
    case profileAdded = "mdm.profile.add"
    case profileRemoved = "mdm.profile.remove"
}

/// One line of the log.
struct AuditLine: Sendable {
    let position: Int64
    /// Milliseconds since 1970.
    let time: Int64
    let actor: String
    let action: String
    /// The UDID, profile, app or enrollment that it was done to.
    let subject: String
    /// The command that was queued, and what it is about.
    let detail: String?
    /// The id of the request.
    let correlation: String?
}

/// The record of administrative acts, each line in the transaction of the act itself: what is not recorded did not
/// happen. Nothing changes a line; those that have stood for longer than the log is kept go with the next act.
struct AuditLog {
    let connection: any Connection
    let tenant: String

    /// Whoever reaches the administration socket is the operator of the machine.
    static let localOperator = "operator"

    /// Appends a line.
    ///
    /// - Parameter oldest: lines from before that time go.
    /// - Throws: ``StorageError``
    func append(
        _ action: AuditAction, subject: String, detail: String? = nil, correlation: String?, now: Int64, oldest: Int64
    ) throws {
        let last = try connection.row("SELECT MAX(position) AS last FROM audit WHERE tenant = \(tenant)")
        let position: Int64? = try last?["last"]
        try connection.execute("DELETE FROM audit WHERE tenant = \(tenant) AND time < \(oldest)")
        try connection.insert(
            into: AuditLine.self,
            [
                .tenant: tenant, .position: (position ?? 0) + 1, .time: now, .actor: Self.localOperator,
                .action: action, .subject: subject, .detail: detail, .correlation: correlation,
            ])
    }

    /// The newest lines, oldest of them first.
    ///
    /// - Throws: ``StorageError``
    func latest(_ count: Int) throws -> [AuditLine] {
        try connection.records(
            AuditLine.self, "WHERE tenant = \(tenant) ORDER BY position DESC LIMIT \(count)"
        ).reversed()
    }
}

extension AuditLine: Record {
    static let table = "audit"
    enum Column: String, ColumnName { case tenant, position, time, actor, action, subject, detail, correlation }

    init(_ row: TableRow<AuditLine>) throws {
        self.init(
            position: try row[.position], time: try row[.time], actor: try row[.actor], action: try row[.action],
            subject: try row[.subject], detail: try row[.detail], correlation: try row[.correlation])
    }
}
