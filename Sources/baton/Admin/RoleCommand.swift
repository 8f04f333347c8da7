// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser

/// Manages directory roles.
struct RoleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "role", abstract: "List, assign and remove directory roles.",
        subcommands: [List.self, Add.self, Remove.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the roles and who holds them.")
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.list(IdentityAdmin.listRoles(), ["ID", "NAME", "MEMBERS"]) { role in
                [role.id, role.displayName, role.members.joined(separator: ", ")]
            }
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Assign a role to a person.")
        @OptionGroup var membership: Membership

        func run() async throws {
            try await membership.change(
                IdentityAdmin.assignRole, done: "\(membership.user) holds the role \(membership.role).")
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Remove a role from a person.")
        @OptionGroup var membership: Membership

        func run() async throws {
            try await membership.change(
                IdentityAdmin.unassignRole, done: "\(membership.user) no longer holds \(membership.role).")
        }
    }

    struct Membership: ParsableArguments {
        @Argument(help: "The role's name or template id.") var role: String
        @Argument(help: "The user name or id.") var user: String
        @OptionGroup var admin: AdminOptions

        func change(_ endpoint: Endpoint<Empty, Empty>, done: String) async throws {
            try await admin.change(endpoint(["role": role, "user": user]), done: done)
        }
    }
}
