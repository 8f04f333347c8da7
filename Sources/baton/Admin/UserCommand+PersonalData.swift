// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser
import CommandLineInterface

extension UserCommand {
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print or save everything that the server stores about a person, one JSON object on each line.",
            discussion: "It contains no secrets. The audit log records the request. See "
                + "docs/operations/personal-data.md.")
        @Argument(help: "The user name or id.") var user: String
        @OptionGroup var export: ExportOptions

        func run() async throws { try await export.run(IdentityAdmin.exportUser(["user": user])) }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Remove a person and everything that belongs to them; without --yes, only show what would be removed.",
            discussion: "The audit log keeps their id; to replace it, too, use erase.")
        @Argument(help: "The user name or id.") var user: String
        @Flag(help: "Remove the person; this cannot be undone.") var yes = false
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.output.run(
                {
                    guard yes else { throw try await UserCommand.unconfirmed("remove", of: user, admin) }
                    try await admin.call(IdentityAdmin.removeUser(["user": user]))
                }, done: "Removed.")
        }
    }

    struct Erase: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Remove a person and replace their id in the audit log; without --yes, only show what would be removed.",
            discussion: "Their sessions end at once on all devices. See docs/operations/personal-data.md.")
        @Argument(help: "The user name or id.") var user: String
        @Flag(help: "Erase the person; this cannot be undone.") var yes = false
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.output.run(
                {
                    guard yes else { throw try await UserCommand.unconfirmed("erase", of: user, admin) }
                    return try await admin.call(IdentityAdmin.eraseUser(["user": user]))
                },
                lines: { (erasure: IdentityAdmin.Erasure) in
                    [
                        "Erased, with \(UserCommand.words(erasure.removed)).",
                        "\(erasure.auditEntries) lines of the audit log now name \(erasure.pseudonym).",
                    ]
                })
        }
    }

    /// Returns a failure that states how many sessions and devices the person has, and how to confirm the command
    /// `verb`.
    private static func unconfirmed(
        _ verb: String, of user: String, _ admin: AdminOptions
    ) async throws -> CommandFailure {
        let holdings = try await admin.call(IdentityAdmin.getPersonalHoldings(["user": user]))
        return CommandFailure(
            code: "confirmation_missing",
            message: "Nothing is \(verb)d yet. The person has \(words(holdings)).",
            remedy: "To keep a copy, run: baton admin user export \(user). To \(verb) the person permanently, run: "
                + "baton admin user \(verb) \(user) --yes.")
    }

    private static func words(_ holdings: IdentityAdmin.PersonalHoldings) -> String {
        [(holdings.sessions, "session"), (holdings.devices, "personal device")]
            .map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }.joined(separator: " and ")
    }
}
