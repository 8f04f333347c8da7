// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser
import CommandLineInterface

/// Shows the tenant's data about the receipts of its devices: the trust file and the subjects of receipts.
struct ReceiptAdminCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receipt", abstract: "Export the trust file for receipts, and resolve their subjects.",
        subcommands: [Trust.self, Resolve.self])

    struct Trust: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the file for verifying receipts on another machine, with the newest anchors.")
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.output.reporting {
                let trust = try await admin.client.document(admin.completed(IdentityAdmin.getReceiptTrust()))
                try OutputOptions.print([String(decoding: trust, as: UTF8.self)])
            }
        }
    }

    struct Resolve: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the person behind the subject of a receipt; the audit log records the request.")
        @Argument(help: "The subject, p1.…") var subject: String
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.show(IdentityAdmin.resolveReceiptSubject(["subject": subject])) { subject in
                [
                    "user     \(subject.user)", "name     \(subject.userPrincipalName ?? "removed since")",
                    "device   \(subject.device)", "session  \(subject.session)",
                ]
            }
        }
    }
}
