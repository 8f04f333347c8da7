// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser
import CommandLineInterface
import Redaction

extension ClientCommand {
    struct Secrets: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the secrets of a confidential client, by id.")
        @Argument(help: "The client's id or name.") var client: String
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.show(IdentityAdmin.listClientSecrets(["client": client])) { secrets in
                TextTable.lines(["ID", "EXPIRES"], secrets.map { [$0.id, TextTable.time($0.expiresAt)] })
            }
        }
    }

    struct AddSecret: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a secret to a confidential client; it is shown once.")
        @Argument(help: "The client's id or name.") var client: String
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.show(IdentityAdmin.addClientSecret(["client": client])) { secret in
                [secret.secret?.exposed ?? "", "Keep it now: it cannot be shown again. Its id is \(secret.id)."]
            }
        }
    }

    struct RemoveSecret: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Remove a secret of a confidential client.")
        @Argument(help: "The client's id or name.") var client: String
        @Argument(help: "The secret's id.") var secret: String
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.change(
                IdentityAdmin.removeClientSecret(["client": client, "secret": secret]), done: "Removed.")
        }
    }
}
