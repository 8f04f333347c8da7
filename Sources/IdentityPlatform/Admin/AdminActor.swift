// SPDX-License-Identifier: Apache-2.0
package import Storage

/// The actor of an administrative act, with the check that runs in the act's transaction. A role may have been removed
/// between an earlier check and the act.
package struct AdminActor: Sendable {
    /// The actor's name in the audit log: an object id, or ``AuditLog/localOperator``.
    let name: String
    /// Throws if the actor may not perform the act.
    let confirm: @Sendable (any Connection) throws -> Void

    package init(name: String, confirm: @escaping @Sendable (any Connection) throws -> Void) {
        (self.name, self.confirm) = (name, confirm)
    }

    /// The operator of the machine, who is fully trusted: any caller on the administration socket.
    package static let localOperator = AdminActor(name: AuditLog.localOperator) { _ in }
}
