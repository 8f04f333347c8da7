// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// What a route asks: of the token, one of some permissions; of the person, one of some directory roles at this moment. The
/// table of docs/identity-platform.md is this one.
package struct GraphAccess: Sendable {
    /// One of these has to be in the token.
    package let permissions: [GraphPermission]
    /// One of these the person has to hold; nil where everybody may, since it is about themselves.
    package let roles: [DirectoryRole]?

    // Oneself
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

    // Roles and the log
    static let readRoles = GraphAccess([.readRoles, .writeRoles, .readDirectory], readers)
    static let changeRoles = GraphAccess(
        [.writeRoles], [.privilegedRoleAdministrator, .globalAdministrator])
    static let readAudit = GraphAccess(
        [.readAudit],
        [.cloudDeviceAdministrator, .globalReader, .securityReader, .securityAdministrator, .globalAdministrator])

    /// Whoever may read the directory.
    package static let readers: [DirectoryRole] = [
        .cloudDeviceAdministrator, .directoryReaders, .globalReader, .helpdeskAdministrator, .intuneAdministrator,
        .privilegedRoleAdministrator, .securityAdministrator, .securityReader, .userAdministrator, .globalAdministrator,
    ]

    private init(_ permissions: [GraphPermission], _ roles: [DirectoryRole]?) {
        (self.permissions, self.roles) = (permissions, roles)
    }

    /// Judges a token.
    ///
    /// - Throws: ``GraphError``
    func judge(_ token: AccessToken) throws(GraphError) {
        guard permissions.contains(where: { token.permissions.contains($0.rawValue) }) else { throw .missingScope }
        try judge(token.roles)
    }

    /// Judges the roles that a person holds at this moment.
    ///
    /// - Throws: ``GraphError``
    func judge(_ held: [RoleID]) throws(GraphError) {
        guard let roles, !roles.contains(where: { held.contains($0.id) }) else { return }
        throw .missingRole
    }
}
