// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser
import CommandLineInterface

/// Manages the registrations of apps.
struct ClientCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client", abstract: "List, add, disable and remove the registrations of apps.",
        subcommands: [
            List.self, Add.self, AddCompatibility.self, Enable.self, Disable.self, Remove.self, Secrets.self,
            AddSecret.self, RemoveSecret.self, Key.self, Permission.self,
        ])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the registered apps.")
        @OptionGroup var names: NamePrefix
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.list(
                IdentityAdmin.listClients(query: names.query), ["ID", "NAME", "KIND", "ENABLED", "REDIRECT URIS"]
            ) {
                client in
                [
                    client.id, client.displayName, client.isPublic ? "public" : "confidential",
                    client.accountEnabled ? "yes" : "no",
                    client.redirectURIs.joined(separator: " "),
                ]
            }
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Register an app, as a public client unless --confidential is given.")
        @Option(help: "The client id (default: a new one).") var id: String?
        @Option(help: "The name to show.") var name: String
        @Option(help: "A redirect URI; may be repeated. A script that acts for itself needs none.")
        var redirectURI: [String] = []
        @Option(help: "A redirect address after a sign-out; may be repeated (default: the redirect URIs).")
        var postLogoutRedirectURI: [String] = []
        @Option(help: "A permission such as Group.Read.All; may be repeated (default: User.Read).")
        var permission: [String] = []
        @Flag(help: "Register a confidential client; give it a secret with add-secret.") var confidential = false
        @Option(help: "The signature algorithm of its tokens, RS256 or ES256.") var tokenAlgorithm = "RS256"
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.show(
                IdentityAdmin.addClient(
                    body: IdentityAdmin.NewClient(
                        id: id, displayName: name, redirectURIs: redirectURI,
                        postLogoutRedirectURIs: postLogoutRedirectURI.isEmpty ? nil : postLogoutRedirectURI,
                        permissions: permission, isConfidential: confidential, tokenAlgorithm: tokenAlgorithm))
            ) { client in
                admin.output.warn(client.warnings)
                return ["\(client.displayName) is registered: client \(client.id)."]
            }
        }
    }

    struct AddCompatibility: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Register well-known public apps of other makers, such as Azure CLI, with their own ids.")
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.show(IdentityAdmin.addCompatibilityClients()) { clients in
                clients.isEmpty
                    ? ["All of them were already registered."]
                    : clients.map { "\($0.displayName) is registered: client \($0.id)." }
            }
        }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Disable an app: it gets no tokens, and its tokens are refused until it is enabled again.")
        @Argument(help: "The client's id or name.") var client: String
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.change(
                IdentityAdmin.changeClient(["client": client], body: IdentityAdmin.ClientChange(accountEnabled: false)),
                done: "The app is disabled.")
        }
    }

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Enable a disabled app.")
        @Argument(help: "The client's id or name.") var client: String
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.change(
                IdentityAdmin.changeClient(["client": client], body: IdentityAdmin.ClientChange(accountEnabled: true)),
                done: "The app is enabled.")
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove an app's registration with its codes and refresh tokens.")
        @Argument(help: "The client's id or name.") var client: String
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.change(IdentityAdmin.removeClient(["client": client]), done: "Removed.")
        }
    }
}
