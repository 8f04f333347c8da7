// SPDX-License-Identifier: Apache-2.0
package import Storage

/// The actor of an administrative act, and a check that the actor may perform it. The check runs in the act's
/// transaction, because a role may have been removed after an earlier check.
package struct AdminActor: Sendable {
    /// The actor's name in the audit log: an object id, ``ApplicationToken/auditName``, or ``AuditLog/localOperator``.
    let name: String
    /// Throws if the actor may not perform the act.
    let confirm: @Sendable (any Connection) throws -> Void

    package init(name: String, confirm: @escaping @Sendable (any Connection) throws -> Void) {
        (self.name, self.confirm) = (name, confirm)
    }

    /// The operator of the machine: any caller on the administration socket. The operator is fully trusted.
    package static let localOperator = AdminActor(name: AuditLog.localOperator) { _ in }
}
