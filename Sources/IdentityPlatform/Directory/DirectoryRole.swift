// SPDX-License-Identifier: Apache-2.0
package import Storage

package typealias RoleID = ID<DirectoryRole>

/// A directory role, identified by Entra's template id, which tokens contain in `wids`.
package struct DirectoryRole: Sendable, Hashable {
    package let id: RoleID
    package let displayName: String

    package static let cloudDeviceAdministrator = known[0]
    package static let globalAdministrator = known[1]
    package static let globalReader = known[2]
    package static let intuneAdministrator = known[3]
    package static let userAdministrator = known[4]
    package static let helpdeskAdministrator = known[5]
    package static let directoryReaders = known[6]
    package static let privilegedRoleAdministrator = known[7]
    package static let securityAdministrator = known[8]
    package static let securityReader = known[9]
    package static let authenticationAdministrator = known[10]
    package static let reportsReader = known[11]

    /// Whether people with the role can give themselves every other role.
    var controlsRoles: Bool { self == .globalAdministrator || self == .privilegedRoleAdministrator }

    /// Every role that the platform supports.
    package static let all = known

    /// Returns the role that has this template id or this name, ignoring case.
    package static func named(_ text: String) -> DirectoryRole? {
        known.first { $0.id.rawValue == text.lowercased() || $0.displayName.lowercased() == text.lowercased() }
    }

    private static let known: [DirectoryRole] = [
        ("7698a772-787b-4ac8-901f-60d6b08affd2", "Cloud Device Administrator"),
        ("62e90394-69f5-4237-9190-012177145e10", "Global Administrator"),
        ("f2ef992c-3afb-46b9-b7cf-a126ee74c451", "Global Reader"),
        ("3a2c62db-5318-420d-8d74-23affee5d9d5", "Intune Administrator"),
        ("fe930be7-5e62-47db-91af-98c3a49a38b1", "User Administrator"),
        ("729827e3-9c14-49f7-bb1b-9608f156bbb8", "Helpdesk Administrator"),
        ("88d8e3e3-8f55-4a1e-953a-9b9898b8876b", "Directory Readers"),
        ("e8611ab8-c189-46e8-94e1-60213ab1f814", "Privileged Role Administrator"),
        ("194ae4cb-b126-40b2-bd5b-6091b380977d", "Security Administrator"),
        ("5d6b6bb7-de71-4623-b4af-96380a352509", "Security Reader"),
        ("c4e39bd9-1100-46d3-8c65-fb160da0071f", "Authentication Administrator"),
        ("4a5d8f65-41da-4de4-8968-e035b65339cf", "Reports Reader"),
    ].compactMap { id, name in RoleID(rawValue: id).map { DirectoryRole(id: $0, displayName: name) } }
}
