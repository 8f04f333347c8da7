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
}

/// What an auditor asks about afterwards; the words of the log, spelt once.
package enum AuditAction: String, Sendable {
    case clientAdded = "client.add"
    case clientRemoved = "client.remove"
    case deviceDisabled = "device.disable"
    case deviceEnabled = "device.enable"
    case deviceJoined = "device.join"
    case deviceRemoved = "device.remove"
    case passwordSet = "user.password.set"
    case roleAssigned = "role.assign"
    case roleUnassigned = "role.unassign"
    case sessionEnded = "session.end"
    case signIn = "sign-in"
    case tenantAdded = "tenant.add"
    case userAdded = "user.add"
    case userRemoved = "user.remove"
}

/// The append-only record of administrative acts and sign-ins, in the transaction of the act itself: what is not
/// recorded did not happen. It names people by object id, never by name.
package struct AuditLog {
    /// Who acted, where it was the operator of the machine.
    package static let localOperator = "operator"

    private let connection: any Connection

    package init(_ connection: any Connection) { self.connection = connection }

    /// Appends a line.
    ///
    /// - Throws: ``StorageError``
    package func append(
        _ action: AuditAction, tenant: TenantID, actor: String, subject: String?, outcome: String = "done",
        at time: Timestamp
    ) throws {
        try connection.execute(
            """
            INSERT INTO audit (tenant, position, time, actor, action, subject, outcome)
            SELECT \(tenant), COALESCE(MAX(position), 0) + 1, \(time), \(actor), \(action), \(subject), \(outcome)
            FROM audit WHERE tenant = \(tenant)
            """)
    }

    /// The newest lines, oldest of them first.
    ///
    /// - Throws: ``StorageError``
    package func latest(_ count: Int, tenant: TenantID) throws -> [AuditEntry] {
        try connection.rows(
            """
            SELECT position, time, actor, action, subject, outcome FROM audit
            WHERE tenant = \(tenant) ORDER BY position DESC LIMIT \(count)
            """
        ).reversed().map { row in
            AuditEntry(
                position: try row.integer(0), time: try row.value(1), actor: try row.text(2),
                action: try row.text(3), subject: try row.optionalText(4), outcome: try row.text(5))
        }
    }
}
