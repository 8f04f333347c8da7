// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// A route's requirements: the token must have one of ``permissions``, and the person must currently hold one of
/// ``roles``. The table in docs/reference/identity-platform.md lists the same values.
package struct GraphAccess: Sendable {
    /// The permissions that are sufficient. The token must have at least one of them.
    package let permissions: [GraphPermission]
    /// The roles that are sufficient. The person must hold at least one of them. Nil if no role is needed, because the
    /// route concerns only the caller.
    package let roles: [DirectoryRole]?

    // The caller
    static let readSelf = GraphAccess([.readSelf, .readUsers, .writeUsers], nil)
    static let revokeOwnSessions = GraphAccess([.revokeSessions, .writeUsers], nil)

    // People and groups
    static let readPeople = GraphAccess([.readUsers, .writeUsers, .readDirectory], readers)
    static let changePeople = GraphAccess([.writeUsers], [.userAdministrator, .globalAdministrator])
    static let revokeSessions = GraphAccess(
        [.revokeSessions, .writeUsers],
        [.helpdeskAdministrator, .userAdministrator, .globalAdministrator])
    static let readGroups = GraphAccess([.readGroups, .writeGroups, .readDirectory], readers)
    static let changeGroups = GraphAccess([.writeGroups], [.userAdministrator, .globalAdministrator])

    // Devices
    static let readDevices = GraphAccess([.readDevices, .writeDevices, .readDirectory], readers)
    static let changeDevices = GraphAccess(
        [.writeDevices], [.cloudDeviceAdministrator, .intuneAdministrator, .globalAdministrator])
    static let readDevicePolicy = GraphAccess(
        [.readPolicies, .writeDevicePolicy],
        [.cloudDeviceAdministrator, .intuneAdministrator, .globalReader, .securityReader, .globalAdministrator])

    static let changeDevicePolicy = GraphAccess(
        [.writeDevicePolicy], [.cloudDeviceAdministrator, .globalAdministrator])

    // Roles and the audit log
    static let readRoles = GraphAccess([.readRoles, .writeRoles, .readDirectory], readers)
    static let changeRoles = GraphAccess(
        [.writeRoles], [.privilegedRoleAdministrator, .globalAdministrator])
    static let readAudit = GraphAccess(
        [.readAudit],
        [.cloudDeviceAdministrator, .globalReader, .securityReader, .securityAdministrator, .globalAdministrator])

    /// The roles that may read the directory.
    package static let readers: [DirectoryRole] = [
        .cloudDeviceAdministrator, .directoryReaders, .globalReader, .helpdeskAdministrator, .intuneAdministrator,
        .privilegedRoleAdministrator, .securityAdministrator, .securityReader, .userAdministrator, .globalAdministrator,
    ]

    private init(_ permissions: [GraphPermission], _ roles: [DirectoryRole]?) {
        (self.permissions, self.roles) = (permissions, roles)
    }

    /// Checks a token's permissions and its person's roles.
    ///
    /// - Returns: how the person meets the requirement.
    /// - Throws: ``GraphError``
    func judge(_ token: AccessToken) throws(GraphError) -> HeldRoles.Match {
        guard permissions.contains(where: { token.permissions.contains($0.rawValue) }) else { throw .missingScope }
        return try judge(token.roles)
    }

    /// Checks the roles that a person currently holds.
    ///
    /// - Throws: ``GraphError``
    @discardableResult
    func judge(_ held: HeldRoles) throws(GraphError) -> HeldRoles.Match {
        guard let roles else { return .assigned }
        guard let match = held.match(anyOf: roles) else { throw .missingRole }
        return match
    }
}
