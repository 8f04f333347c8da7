// SPDX-License-Identifier: Apache-2.0
package import Storage

/// Who does an administrative act, and what must hold of them in the very transaction of the act: between a check beforehand
/// and the act a role may have been taken away.
package struct AdminActor: Sendable {
    /// What the audit log calls them: an object id, or ``AuditLog/localOperator``.
    let name: String
    /// Throws where they may not.
    let confirm: @Sendable (any Connection) throws -> Void

    package init(name: String, confirm: @escaping @Sendable (any Connection) throws -> Void) {
        (self.name, self.confirm) = (name, confirm)
    }

    /// Whoever reaches the administration socket, and is trusted in full.
    package static let localOperator = AdminActor(name: AuditLog.localOperator) { _ in }
}
