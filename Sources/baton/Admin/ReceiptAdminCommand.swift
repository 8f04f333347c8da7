// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser

/// The tenant's data about the receipts of its devices.
struct ReceiptAdminCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receipt", abstract: "Vouch for receipts, and say whom they mean.",
        subcommands: [Trust.self, Resolve.self])

    struct Trust: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print what receipts are judged by on another machine, with the newest anchors.")
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.output.reporting {
                try OutputOptions.print([try await admin.text("GET", IdentityAdmin.Path.receiptTrust)])
            }
        }
    }

    struct Resolve: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Say whom the subject of a receipt means; the audit log says that you asked.")
        @Argument(help: "The subject, p1.…") var subject: String
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.show(IdentityAdmin.Path.receiptSubject, ["subject": subject]) {
                (subject: IdentityAdmin.ReceiptSubject) in
                [
                    "user     \(subject.user)", "name     \(subject.userPrincipalName ?? "removed since")",
                    "device   \(subject.device)", "session  \(subject.session)",
                ]
            }
        }
    }
}
