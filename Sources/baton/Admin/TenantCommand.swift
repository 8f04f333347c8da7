// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser

/// Organisations.
struct TenantCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tenant", abstract: "List and add organisations.", subcommands: [List.self, Add.self])

    struct List: AsyncParsableCommand {
        @OptionGroup var admin: AdminOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await output.run(
                {
                    try await admin.client.call("GET", admin.path(.tenants)) as [IdentityAdmin.Tenant]
                }, lines: { Table.lines(["ID", "DOMAIN", "NAME"], $0.map { [$0.id, $0.domain, $0.displayName] }) })
        }
    }

    struct Add: AsyncParsableCommand {
        @Argument(help: "The organisation's domain, such as contoso.example.") var domain: String
        @Option(help: "Its name.") var name: String
        @OptionGroup var admin: AdminOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await output.run(
                {
                    try await admin.client.call(
                        "POST", admin.path(.tenants), body: IdentityAdmin.NewTenant(displayName: name, domain: domain))
                        as IdentityAdmin.Tenant
                }, lines: { ["\($0.displayName) is there: tenant \($0.id)."] })
        }
    }
}
