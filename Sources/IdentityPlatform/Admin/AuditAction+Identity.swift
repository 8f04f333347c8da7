// SPDX-License-Identifier: Apache-2.0
package import Storage

/// The identity platform's audit actions. The raw values appear in the audit log.
extension AuditAction {
    package static let auditExported = AuditAction(rawValue: "audit.export")
    package static let brandingSet = AuditAction(rawValue: "branding.set")
    package static let breakGlassEnded = AuditAction(rawValue: "break-glass.end")
    package static let breakGlassGranted = AuditAction(rawValue: "break-glass.grant")
    package static let breakGlassUsed = AuditAction(rawValue: "break-glass.use")
    package static let clientAdded = AuditAction(rawValue: "client.add")
    package static let clientDisabled = AuditAction(rawValue: "client.disable")
    package static let clientEnabled = AuditAction(rawValue: "client.enable")
    package static let clientKeyAdded = AuditAction(rawValue: "client.key.add")
    package static let clientKeyRemoved = AuditAction(rawValue: "client.key.remove")
    package static let clientPermissionGranted = AuditAction(rawValue: "client.permission.grant")
    package static let clientPermissionRevoked = AuditAction(rawValue: "client.permission.revoke")
    package static let clientRemoved = AuditAction(rawValue: "client.remove")
    package static let clientSecretAdded = AuditAction(rawValue: "client.secret.add")
    package static let clientSecretRemoved = AuditAction(rawValue: "client.secret.remove")
    /// An application got a token for itself, or was refused.
    package static let clientSignedIn = AuditAction(rawValue: "client.sign-in")
    package static let codeReplayed = AuditAction(rawValue: "code.replay")
    package static let deviceAhead = AuditAction(rawValue: "device.ahead")
    package static let deviceCodeApproved = AuditAction(rawValue: "device-code.approve")
    package static let deviceCodeDeclined = AuditAction(rawValue: "device-code.decline")
    package static let deviceDisabled = AuditAction(rawValue: "device.disable")
    package static let deviceEnabled = AuditAction(rawValue: "device.enable")
    package static let deviceJoined = AuditAction(rawValue: "device.join")
    package static let deviceManaged = AuditAction(rawValue: "device.manage")
    package static let deviceRemoved = AuditAction(rawValue: "device.remove")
    package static let deviceRulesSet = AuditAction(rawValue: "device.rules.set")
    package static let deviceUnmanaged = AuditAction(rawValue: "device.unmanage")
    package static let groupAdded = AuditAction(rawValue: "group.add")
    package static let groupChanged = AuditAction(rawValue: "group.change")
    package static let groupDeviceAdded = AuditAction(rawValue: "group.device.add")
    package static let groupDeviceRemoved = AuditAction(rawValue: "group.device.remove")
    package static let groupMemberAdded = AuditAction(rawValue: "group.member.add")
    package static let groupMemberRemoved = AuditAction(rawValue: "group.member.remove")
    package static let groupRemoved = AuditAction(rawValue: "group.remove")
    package static let helloKeyAdded = AuditAction(rawValue: "user.key.add")
    package static let offlineLeaseGiven = AuditAction(rawValue: "offline.lease.give")
    package static let offlinePINWithoutTPM = AuditAction(rawValue: "offline.pin-without-tpm")
    package static let offlineTurnedOff = AuditAction(rawValue: "offline.off")
    package static let offlineTurnedOn = AuditAction(rawValue: "offline.on")
    package static let passwordSet = AuditAction(rawValue: "user.password.set")
    package static let primaryTokenReplayed = AuditAction(rawValue: "prt.replay")
    package static let receiptResolved = AuditAction(rawValue: "receipt.resolve")
    package static let receiptsForked = AuditAction(rawValue: "receipt.fork")
    package static let refreshTokenReplayed = AuditAction(rawValue: "refresh-token.replay")
    package static let refreshTokenRevoked = AuditAction(rawValue: "refresh-token.revoke")
    package static let roleAssigned = AuditAction(rawValue: "role.assign")
    package static let roleUnassigned = AuditAction(rawValue: "role.unassign")
    package static let sessionBound = AuditAction(rawValue: "session.bind")
    package static let sessionEnded = AuditAction(rawValue: "session.end")
    package static let signIn = AuditAction(rawValue: "sign-in")
    package static let signingKeyAdded = AuditAction(rawValue: "signing-key.add")
    package static let signingKeyRemoved = AuditAction(rawValue: "signing-key.remove")
    package static let storageRestored = AuditAction(rawValue: "storage.restore")
    package static let tenantAdded = AuditAction(rawValue: "tenant.add")
    package static let tenantRemoved = AuditAction(rawValue: "tenant.remove")
    package static let userAdded = AuditAction(rawValue: "user.add")
    package static let userChanged = AuditAction(rawValue: "user.change")
    package static let userDisabled = AuditAction(rawValue: "user.disable")
    package static let userEnabled = AuditAction(rawValue: "user.enable")
    package static let userErased = AuditAction(rawValue: "user.erase")
    package static let userExported = AuditAction(rawValue: "user.export")
    package static let userRemoved = AuditAction(rawValue: "user.remove")
    package static let userSessionsRevoked = AuditAction(rawValue: "user.sessions.revoke")
    package static let userUnlocked = AuditAction(rawValue: "user.unlock")
}

/// How a person signed in at the identity platform.
extension SignInMethod {
    /// The sign-in page.
    package static let page = SignInMethod(rawValue: "page")
    /// Name and password at the token endpoint, if the operator allows this grant.
    package static let passwordGrant = SignInMethod(rawValue: "password")
    /// Name and password inside a device's request for a primary refresh token.
    package static let primaryRefreshToken = SignInMethod(rawValue: "prt")
    /// A device code, entered on another device.
    package static let deviceCode = SignInMethod(rawValue: "device-code")

    /// Every method.
    package static let all = [page, passwordGrant, primaryRefreshToken, deviceCode]
}
