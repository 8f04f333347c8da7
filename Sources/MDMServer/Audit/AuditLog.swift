// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// What administrators of devices do; the words of the log, spelt once.
enum AuditAction: String, Sendable {
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
        let last = try connection.row(
            "SELECT COALESCE(MAX(position), 0) FROM audit WHERE tenant = \(tenant)")?.integer(0)
        try connection.execute("DELETE FROM audit WHERE tenant = \(tenant) AND time < \(oldest)")
        try connection.execute(
            """
            INSERT INTO audit (tenant, position, time, actor, action, subject, detail, correlation)
            VALUES (\(tenant), \((last ?? 0) + 1), \(now), \(Self.localOperator), \(action), \(subject), \(detail),
                \(correlation))
            """)
    }

    /// The newest lines, oldest of them first.
    ///
    /// - Throws: ``StorageError``
    func latest(_ count: Int) throws -> [AuditLine] {
        try connection.rows(
            """
            SELECT position, time, actor, action, subject, detail, correlation FROM audit
            WHERE tenant = \(tenant) ORDER BY position DESC LIMIT \(count)
            """
        ).reversed().map { row in
            AuditLine(
                position: try row.integer(0), time: try row.integer(1), actor: try row.text(2),
                action: try row.text(3), subject: try row.text(4), detail: try row.optionalText(5),
                correlation: try row.optionalText(6))
        }
    }
}
