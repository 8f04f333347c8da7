// SPDX-License-Identifier: Apache-2.0

/// The identity platform's part of the administration socket. Bodies are JSON; lists are JSON arrays.
///
/// In paths, objects are named by the rule of ``ObjectName``, percent-encoded; `-` is the only tenant.
package enum IdentityAdmin {
    /// Every operation of the identity platform.
    package static let operations: [AdminOperation] = [
        getOpenAPI.operation,
        listTenants.operation, addTenant.operation, getTenant.operation, getTenantHoldings.operation,
        removeTenant.operation, getBranding.operation, setBranding.operation, listAuditEntries.operation,
        exportAuditEntries.operation,
        listUsers.operation, addUser.operation, getUser.operation, changeUser.operation, removeUser.operation,
        setPassword.operation, unlockUser.operation,
        listRoles.operation, assignRole.operation, unassignRole.operation,
        exportUser.operation, getPersonalHoldings.operation, eraseUser.operation,
        listSessions.operation, revokeSession.operation, revokeUserSessions.operation,
        listGroups.operation, getGroup.operation, addGroup.operation, removeGroup.operation, addGroupMember.operation,
        removeGroupMember.operation, listGroupDevices.operation, addGroupDevice.operation,
        removeGroupDevice.operation,
        listClients.operation, getClient.operation, addClient.operation, addCompatibilityClients.operation,
        changeClient.operation,
        removeClient.operation, listClientSecrets.operation, addClientSecret.operation,
        removeClientSecret.operation, listClientKeys.operation, addClientKey.operation, removeClientKey.operation,
        listApplicationPermissions.operation, grantApplicationPermission.operation,
        revokeApplicationPermission.operation,
        listSigningKeys.operation, rotateSigningKeys.operation,
        getReceiptTrust.operation, resolveReceiptSubject.operation,
        getOfflineSignIn.operation, setOfflineSignIn.operation,
        listBreakGlassGrants.operation, grantBreakGlass.operation, revokeBreakGlass.operation,
        listDevices.operation, getDevice.operation, changeDevice.operation, removeDevice.operation,
    ]

    package static let getOpenAPI = Endpoint<Empty, Document>(
        "getOpenAPI", .get("/openapi.json"),
        by: .anyone, effect: .reading,
        summary: "Returns a description of all operations in the format of OpenAPI 3.1.")
}
