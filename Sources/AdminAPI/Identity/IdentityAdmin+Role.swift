// SPDX-License-Identifier: Apache-2.0

extension IdentityAdmin {
    package struct Role: Codable, Sendable, Equatable {
        /// Entra's template id.
        package let id: String
        package let displayName: String
        /// User principal names of the role's members.
        package let members: [String]

        package init(id: String, displayName: String, members: [String]) {
            self.id = id
            self.displayName = displayName
            self.members = members
        }
    }
}

/// The operations on directory roles.
extension IdentityAdmin {
    package static let listRoles = Endpoint<Empty, [Role]>(
        "listRoles", .get("/identity/tenants/{tenant}/roles"),
        by: .roles(
            .globalAdministrator, .globalReader, .privilegedRoleAdministrator,
            permission: "RoleManagement.Read.Directory"),
        effect: .reading,
        summary: "Lists the directory roles and who has them.")

    package static let assignRole = Endpoint<Empty, Empty>(
        "assignRole", .put("/identity/tenants/{tenant}/roles/{role}/members/{user}"),
        by: .roles(
            .globalAdministrator, .privilegedRoleAdministrator, permission: "RoleManagement.ReadWrite.Directory"),
        effect: .danger("role.assign"), givesPower: true,
        summary: "Assigns a role to a person.")

    package static let unassignRole = Endpoint<Empty, Empty>(
        "unassignRole", .delete("/identity/tenants/{tenant}/roles/{role}/members/{user}"),
        by: .roles(
            .globalAdministrator, .privilegedRoleAdministrator, permission: "RoleManagement.ReadWrite.Directory"),
        effect: .danger("role.unassign"), givesPower: true, errors: ["identity.role.last"],
        summary: "Removes a role from a person.")
}
