// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser

/// Public clients.
struct ClientCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client", abstract: "List, add and remove the registrations of apps.",
        subcommands: [List.self, Add.self, Remove.self])

    struct List: AsyncParsableCommand {
        @OptionGroup var admin: AdminOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await output.run(
                {
                    try await admin.client.call("GET", admin.path(.clients)) as [IdentityAdmin.Client]
                },
                lines: { clients in
                    Table.lines(
                        ["ID", "NAME", "REDIRECT URIS"],
                        clients.map {
                            [$0.id, $0.displayName, $0.redirectURIs.joined(separator: " ")]
                        })
                })
        }
    }

    struct Add: AsyncParsableCommand {
        @Option(help: "The client id; a fresh one where it is left out.") var id: String?
        @Option(help: "The name to show.") var name: String
        @Option(help: "A redirect URI; may be repeated.") var redirectURI: [String]
        @OptionGroup var admin: AdminOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let client = IdentityAdmin.NewClient(id: id, displayName: name, redirectURIs: redirectURI)
            try await output.run(
                {
                    try await admin.client.call("POST", admin.path(.clients), body: client) as IdentityAdmin.Client
                }, lines: { ["\($0.displayName) is registered: client \($0.id)."] })
        }
    }

    struct Remove: AsyncParsableCommand {
        @Argument(help: "The client id.") var client: String
        @OptionGroup var admin: AdminOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await output.run(
                {
                    try await admin.client.call("DELETE", admin.path(.client, ["client": client]))
                }, done: "Removed.")
        }
    }
}
