// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser
import CommandLineInterface
import FoundationEssentials
import Glibc

/// Grants a person a directory role for a short time, for emergencies in which nobody who holds the role can sign in.
struct BreakGlassCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "break-glass", abstract: "Grant, list and revoke emergency access for a limited time.",
        discussion: "See docs/operations/break-glass.md. Every use is recorded in the audit log, and every "
            + "administrator is told while the access is in force.",
        subcommands: [Grant.self, List.self, Revoke.self])

    struct Grant: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Give a person a directory role that ends by itself.")
        @Argument(help: "The user name or id.") var user: String
        @Option(help: "Why the access is needed, 10 to 300 bytes. The audit log keeps it; name no worker.")
        var reason: String
        @Option(help: "For how many minutes, 1 to 240.") var minutes = 60
        @Option(help: "The role's name or template id.") var role = "Global Administrator"
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            let new = IdentityAdmin.NewBreakGlassGrant(
                user: user, role: role, reason: reason, minutes: minutes, login: Self.login)
            try await admin.show(IdentityAdmin.grantBreakGlass(body: new)) { grant in
                [
                    "\(grant.user) has the role \(grant.role) until \(TextTable.time(grant.expiresAt)).",
                    "To end it earlier: baton admin break-glass revoke \(grant.id)",
                ]
            }
        }

        /// The user id of the person who ran `sudo`, or who logged in; nil if neither is known.
        private static var login: Int? {
            if let sudo = ProcessInfo.processInfo.environment["SUDO_UID"].flatMap(Int.init) { return sudo }
            guard let file = try? Data(contentsOf: URL(filePath: "/proc/self/loginuid")),
                let id = UInt32(String(decoding: file, as: UTF8.self)), id != .max
            else { return nil }
            return Int(id)
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the newest 100 grants.")
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.list(
                IdentityAdmin.listBreakGlassGrants(),
                ["ID", "STATE", "USER NAME", "ROLE", "BEGUN", "EXPIRES", "GRANTED BY", "REASON"]
            ) { grant in
                [
                    grant.id, grant.isActive ? "in force" : "ended", grant.user, grant.role,
                    TextTable.time(grant.begunAt), TextTable.time(grant.expiresAt), grant.grantedBy, grant.reason,
                ]
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "End emergency access at once.")
        @Argument(help: "The id of the grant.") var grant: String
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.change(IdentityAdmin.revokeBreakGlass(["grant": grant]), done: "The access has ended.")
        }
    }
}
