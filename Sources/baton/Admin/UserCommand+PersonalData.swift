// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser

extension UserCommand {
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print or save everything that the server stores about a person, one JSON object on each line.",
            discussion: "It contains no secrets. The audit log records the request. See "
                + "docs/operations/personal-data.md.")
        @Argument(help: "The user name or id.") var user: String
        @OptionGroup var export: ExportOptions

        func run() async throws { try await export.run(IdentityAdmin.Path.userData, ["user": user]) }
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
                    let place = ["user": user]
                    guard yes else {
                        let holdings: IdentityAdmin.PersonalHoldings = try await admin.call(
                            "GET", IdentityAdmin.Path.userErasure, places: place)
                        throw CommandFailure(
                            code: "confirmation_missing",
                            message: "Nothing is erased yet. The person has \(Self.words(holdings)).",
                            remedy: "To keep a copy, run: baton admin user export \(user). To erase the person "
                                + "permanently, run: baton admin user erase \(user) --yes.")
                    }
                    return try await admin.call("POST", IdentityAdmin.Path.userErasure, places: place)
                },
                lines: { (erasure: IdentityAdmin.Erasure) in
                    [
                        "Erased, with \(Self.words(erasure.removed)).",
                        "\(erasure.auditEntries) lines of the audit log now name \(erasure.pseudonym).",
                    ]
                })
        }

        private static func words(_ holdings: IdentityAdmin.PersonalHoldings) -> String {
            [(holdings.sessions, "session"), (holdings.devices, "personal device")]
                .map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }.joined(separator: " and ")
        }
    }
}
