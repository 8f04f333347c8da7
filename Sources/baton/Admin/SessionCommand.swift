// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser
import CommandLineInterface

/// Lists and ends sessions, which are sign-ins that have not ended.
struct SessionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session", abstract: "List the sessions of people and end them.",
        subcommands: [List.self, Revoke.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the sessions, newest first.")
        @Option(help: "The user name or id of the person whose sessions to list.") var user: String?
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            let query = user.map { [("user", $0)] } ?? []
            try await admin.list(
                IdentityAdmin.listSessions(query: query), ["SESSION", "USER NAME", "DEVICE", "DEVICE ID", "BEGUN"]
            ) { session in
                [
                    session.id, session.userPrincipalName, session.deviceName ?? "-", session.device ?? "-",
                    TextTable.time(session.begunAt),
                ]
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "End a session: its tokens become invalid and its device signs out.")
        @Argument(help: "The session's id.") var session: String
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.change(IdentityAdmin.revokeSession(["session": session]), done: "The session has ended.")
        }
    }
}
