// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser
import CommandLineInterface

extension ClientCommand {
    /// Manages what an app may do by itself.
    struct Permission: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List, grant and revoke the permissions that a client has for itself, without a person.",
            subcommands: [List.self, Grant.self, Revoke.self])

        struct List: AsyncParsableCommand {
            static let configuration = CommandConfiguration(abstract: "List the permissions of a client.")
            @Argument(help: "The client id.") var client: String
            @OptionGroup var admin: AdminOptions

            func run() async throws {
                try await admin.list(
                    IdentityAdmin.listApplicationPermissions(["client": client]), ["PERMISSION", "GRANTED"]
                ) { granted in [granted.permission, TextTable.time(granted.grantedAt)] }
            }
        }

        struct Grant: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Grant a client a permission: whoever has one of its keys can use it.")
            @Argument(help: "The client id.") var client: String
            @Argument(help: "The permission, such as Device.Read.All.") var permission: String
            @OptionGroup var admin: AdminOptions

            func run() async throws {
                try await admin.change(
                    IdentityAdmin.grantApplicationPermission(["client": client, "permission": permission]),
                    done: "Granted.")
            }
        }

        struct Revoke: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Revoke a permission of a client, also in its existing tokens.")
            @Argument(help: "The client id.") var client: String
            @Argument(help: "The permission.") var permission: String
            @OptionGroup var admin: AdminOptions

            func run() async throws {
                try await admin.change(
                    IdentityAdmin.revokeApplicationPermission(["client": client, "permission": permission]),
                    done: "Revoked.")
            }
        }
    }
}
