// SPDX-License-Identifier: Apache-2.0

/// The identity platform's part of the administration socket. Bodies are JSON; lists are JSON arrays.
///
/// In paths, `{tenant}` is an id, a domain, or `-` for the only tenant; `{user}` an object id or a user principal name;
/// `{role}` a template id or a name; `{group}` an id or a unique name. All are percent-encoded.
package enum IdentityAdmin {
    /// Every operation of the identity platform.
    package static let operations: [AdminOperation] = [
        listTenants.operation, addTenant.operation, getTenant.operation, getTenantHoldings.operation,
        removeTenant.operation, getBranding.operation, setBranding.operation, listAuditEntries.operation,
        exportAuditEntries.operation,
        listUsers.operation, addUser.operation, getUser.operation, changeUser.operation, removeUser.operation,
        setPassword.operation, unlockUser.operation,
        listRoles.operation, assignRole.operation, unassignRole.operation,
        exportUser.operation, getPersonalHoldings.operation, eraseUser.operation,
        listSessions.operation, revokeSession.operation, revokeUserSessions.operation,
        listGroups.operation, addGroup.operation, removeGroup.operation, addGroupMember.operation,
        removeGroupMember.operation,
        listClients.operation, addClient.operation, addCompatibilityClients.operation, changeClient.operation,
        removeClient.operation, listClientSecrets.operation, addClientSecret.operation,
        removeClientSecret.operation,
        listSigningKeys.operation, rotateSigningKeys.operation,
        getReceiptTrust.operation, resolveReceiptSubject.operation,
        getOfflineSignIn.operation, setOfflineSignIn.operation,
        listBreakGlassGrants.operation, grantBreakGlass.operation, revokeBreakGlass.operation,
        listDevices.operation, changeDevice.operation, removeDevice.operation,
    ]

    /// Every path as a template, with its methods, bodies and responses.
    package enum Path: String, CaseIterable, PathTemplate {
        /// GET `[Tenant]`; POST `NewTenant` → 201 `Tenant`.
        case tenants = "/identity/tenants"
        /// GET `Tenant`; DELETE → `TenantHoldings`, the numbers of removed objects. The audit log is kept.
        case tenant = "/identity/tenants/{tenant}"
        /// GET `TenantHoldings`.
        case tenantHoldings = "/identity/tenants/{tenant}/holdings"
        /// GET `[User]`; POST `NewUser` → 201 `User`.
        case users = "/identity/tenants/{tenant}/users"
        /// GET `User`; PATCH `UserChange` → 204; DELETE → 204.
        case user = "/identity/tenants/{tenant}/users/{user}"
        /// DELETE → 204; resets the count of the person's wrong passwords.
        case userLock = "/identity/tenants/{tenant}/users/{user}/lock"
        /// GET: everything that the server stores about the person, as an export (``ExportEnd``). Recorded in the audit
        /// log.
        case userData = "/identity/tenants/{tenant}/users/{user}/data"
        /// GET `PersonalHoldings`, what an erasure would remove; POST → `Erasure`.
        case userErasure = "/identity/tenants/{tenant}/users/{user}/erasure"
        /// PUT `NewPassword` → 204; ends every session of the person and resets the count of wrong passwords.
        case password = "/identity/tenants/{tenant}/users/{user}/password"
        /// DELETE → 204; ends every session of the person.
        case userSessions = "/identity/tenants/{tenant}/users/{user}/sessions"
        /// GET `[Session]`: at most 1000 sessions that have not ended, the newest first; with `?user=`, only the
        /// sessions of one person.
        case sessions = "/identity/tenants/{tenant}/sessions"
        /// DELETE → 204, even if the session has already ended.
        case session = "/identity/tenants/{tenant}/sessions/{session}"
        /// GET `[Group]`; POST `NewGroup` → 201 `Group`.
        case groups = "/identity/tenants/{tenant}/groups"
        /// DELETE → 204.
        case group = "/identity/tenants/{tenant}/groups/{group}"
        /// PUT → 204; DELETE → 204.
        case groupMember = "/identity/tenants/{tenant}/groups/{group}/members/{user}"
        /// GET `[Role]`.
        case roles = "/identity/tenants/{tenant}/roles"
        /// PUT → 204; DELETE → 204.
        case roleMember = "/identity/tenants/{tenant}/roles/{role}/members/{user}"
        /// GET `[Client]`; POST `NewClient` → 201 `Client`.
        case clients = "/identity/tenants/{tenant}/clients"
        /// POST → `[Client]`: adds the missing registrations for third-party applications and returns them.
        case compatibilityClients = "/identity/tenants/{tenant}/compatibility-clients"
        /// PATCH `ClientChange` → 204; DELETE → 204.
        case client = "/identity/tenants/{tenant}/clients/{client}"
        /// GET `[ClientSecret]`; POST → 201 `ClientSecret`, the only response that contains the secret itself.
        case clientSecrets = "/identity/tenants/{tenant}/clients/{client}/secrets"
        /// DELETE → 204.
        case clientSecret = "/identity/tenants/{tenant}/clients/{client}/secrets/{secret}"
        /// GET `[SigningKey]`; POST `KeyRotation` → `[SigningKey]`.
        case signingKeys = "/identity/tenants/{tenant}/signing-keys"
        /// GET: the trust data for verifying receipts elsewhere (docs/receipts.md).
        case receiptTrust = "/identity/tenants/{tenant}/receipts/trust"
        /// GET `ReceiptSubject`; each call is recorded in the audit log.
        case receiptSubject = "/identity/tenants/{tenant}/receipts/subjects/{subject}"
        /// GET `Branding`; PUT `Branding` → 204.
        case branding = "/identity/tenants/{tenant}/branding"
        /// GET `Offline`; PUT `Offline` → 204, which also withdraws every lease.
        case offline = "/identity/tenants/{tenant}/offline-sign-in"
        /// GET `[AuditEntry]`, the newest `?count=` lines.
        case audit = "/identity/tenants/{tenant}/audit"
        /// GET: the lines of a period as an export (``ExportEnd``), the oldest first; `?from=` and `?to=` in milliseconds
        /// since 1970, the end excluded. Recorded in the audit log.
        case auditExport = "/identity/tenants/{tenant}/audit/export"
        /// GET `[BreakGlassGrant]`, the newest 100; POST `NewBreakGlassGrant` → 201 `BreakGlassGrant`.
        case breakGlass = "/identity/tenants/{tenant}/break-glass"
        /// DELETE → 204, even if the access has already ended.
        case breakGlassGrant = "/identity/tenants/{tenant}/break-glass/{grant}"
        /// GET `[Device]`.
        case devices = "/identity/tenants/{tenant}/devices"
        /// PATCH `DeviceChange` → 204; DELETE → 204. `{device}` is the device id.
        case device = "/identity/tenants/{tenant}/devices/{device}"
    }
}
