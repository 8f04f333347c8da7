// SPDX-License-Identifier: Apache-2.0

/// An act or an event that a caller passes to the audit log. ``AuditLog`` adds the line's position and the data about
/// the request.
package struct AuditLine: Sendable {
    package let action: AuditAction
    package let tenant: TenantID
    /// An object id, `client:` with the id of an application that acts for itself, ``AuditLog/localOperator`` or
    /// ``AuditLog/server``.
    package let actor: String
    /// What the action affected, such as an object id; several values are separated by spaces.
    package let subject: String?
    /// `done`, `refused`, or why a session ended.
    package let outcome: String
    /// How the person signed in; nil for other actions.
    package let method: SignInMethod?
    /// More about the action, such as the queued command or the offered version.
    package let detail: String?
    package let time: Timestamp

    package init(
        _ action: AuditAction, tenant: TenantID, actor: String, subject: String?, outcome: String = "done",
        method: SignInMethod? = nil, detail: String? = nil, at time: Timestamp
    ) {
        (self.action, self.tenant, self.actor, self.subject) = (action, tenant, actor, subject)
        (self.outcome, self.method, self.detail, self.time) = (outcome, method, detail, time)
    }
}
