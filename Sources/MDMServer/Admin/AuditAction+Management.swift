// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// Administrative acts on device management. The raw values appear in the audit log.
extension AuditAction {
    static let managementExported = AuditAction(rawValue: "mdm.audit.export")
    static let appOffered = AuditAction(rawValue: "mdm.app.offer")
    static let commandQueued = AuditAction(rawValue: "mdm.command.queue")
    static let deviceRemoved = AuditAction(rawValue: "mdm.device.remove")
    static let enrollmentMade = AuditAction(rawValue: "mdm.enrollment.make")
    static let enrollmentRevoked = AuditAction(rawValue: "mdm.enrollment.revoke")
    static let profileAdded = AuditAction(rawValue: "mdm.profile.add")
    static let profileRemoved = AuditAction(rawValue: "mdm.profile.remove")
    static let tenantRemoved = AuditAction(rawValue: "mdm.tenant.remove")
}
