// SPDX-License-Identifier: Apache-2.0

/// A directory role, known by Entra's template id, which is also what tokens carry as `wids`.
package struct DirectoryRole: Sendable, Hashable {
    package let id: RoleID
    package let displayName: String

    package static let cloudDeviceAdministrator = known[0]
    package static let globalAdministrator = known[1]

    /// Every role the platform knows.
    package static let all = known

    /// Finds a role by template id or by name, in either case.
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
    ].compactMap { id, name in RoleID(rawValue: id).map { DirectoryRole(id: $0, displayName: name) } }
}
