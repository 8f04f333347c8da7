// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser
import CommandLineInterface
import Foundation

extension ClientCommand {
    /// Manages the public keys with which an app acts for itself.
    struct Key: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List, add and remove the public keys with which a confidential client acts for itself.",
            subcommands: [List.self, Add.self, Remove.self])

        struct List: AsyncParsableCommand {
            static let configuration = CommandConfiguration(abstract: "List the keys of a client.")
            @Argument(help: "The client id.") var client: String
            @OptionGroup var admin: AdminOptions

            func run() async throws {
                try await admin.list(
                    IdentityAdmin.listClientKeys(["client": client]), ["ID", "NAME", "KIND", "CREATED", "EXPIRES"]
                ) { key in
                    [
                        key.id, key.name, key.kind, TextTable.time(key.createdAt),
                        key.expiresAt.map(TextTable.time) ?? "never",
                    ]
                }
            }
        }

        struct Add: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Register a public key of a client, which signs with the private key.")
            @Argument(help: "The client id.") var client: String
            @Argument(help: "A file with the public key or a certificate, in PEM.") var file: String
            @Option(help: "A name by which administrators recognise the key.") var name: String
            @OptionGroup var admin: AdminOptions

            func run() async throws {
                try await admin.show(
                    IdentityAdmin.addClientKey(
                        ["client": client],
                        body: IdentityAdmin.NewClientKey(name: name, publicKey: try Self.publicKey(file)))
                ) { key in ["The key \(key.id) is registered."] }
            }

            /// Returns the content of a file, which the server checks. A private key is not sent anywhere.
            private static func publicKey(_ path: String) throws -> String {
                guard let data = FileManager.default.contents(atPath: path),
                    let text = String(data: data, encoding: .utf8), text.utf8.count <= 32 << 10
                else {
                    throw CommandFailure(
                        code: "file_unreadable", message: "\(path) cannot be read as a PEM file.",
                        remedy: "Name a file with a public key or a certificate.")
                }
                guard !text.contains("PRIVATE KEY-----") else {
                    throw CommandFailure(
                        code: "key_private",
                        message: "\(path) contains a private key, which stays with the application.",
                        remedy: "Give its public half: openssl pkey -in \(path) -pubout -out public.pem.")
                }
                return text
            }
        }

        struct Remove: AsyncParsableCommand {
            static let configuration = CommandConfiguration(abstract: "Remove a key of a client.")
            @Argument(help: "The client id.") var client: String
            @Argument(help: "The key's id.") var key: String
            @OptionGroup var admin: AdminOptions

            func run() async throws {
                try await admin.change(
                    IdentityAdmin.removeClientKey(["client": client, "key": key]), done: "Removed.")
            }
        }
    }
}
