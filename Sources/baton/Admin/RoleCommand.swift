// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser

/// Directory roles.
struct RoleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "role", abstract: "List directory roles; give and take them.",
        subcommands: [List.self, Add.self, Remove.self])

    struct List: AsyncParsableCommand {
        @OptionGroup var admin: AdminOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await output.run(
                {
                    try await admin.client.call("GET", admin.path(.roles)) as [IdentityAdmin.Role]
                },
                lines: { roles in
                    Table.lines(
                        ["ID", "NAME", "MEMBERS"],
                        roles.map {
                            [$0.id, $0.displayName, $0.members.joined(separator: ", ")]
                        })
                })
        }
    }

    struct Add: AsyncParsableCommand {
        @Argument(help: "The role's name or template id.") var role: String
        @Argument(help: "The user name or id.") var user: String
        @OptionGroup var admin: AdminOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await output.run(
                {
                    try await admin.client.call("PUT", admin.path(.roleMember, ["role": role, "user": user]))
                }, done: "\(user) holds the role \(role).")
        }
    }

    struct Remove: AsyncParsableCommand {
        @Argument(help: "The role's name or template id.") var role: String
        @Argument(help: "The user name or id.") var user: String
        @OptionGroup var admin: AdminOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await output.run(
                {
                    try await admin.client.call("DELETE", admin.path(.roleMember, ["role": role, "user": user]))
                }, done: "\(user) no longer holds the role \(role).")
        }
    }
}
