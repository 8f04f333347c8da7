// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser

/// Organisations.
struct TenantCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tenant", abstract: "List and add organisations.", subcommands: [List.self, Add.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the organisations.")
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.list(IdentityAdmin.Path.tenants, ["ID", "DOMAIN", "NAME"]) {
                (tenant: IdentityAdmin.Tenant) in [tenant.id, tenant.domain, tenant.displayName]
            }
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add an organisation, with a signing key and the well-known clients.")
        @Argument(help: "The organisation's domain, such as contoso.example.") var domain: String
        @Option(help: "Its name.") var name: String
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.send(
                "POST", IdentityAdmin.Path.tenants, body: { IdentityAdmin.NewTenant(displayName: name, domain: domain) }
            ) { (tenant: IdentityAdmin.Tenant) in ["\(tenant.displayName) is there: tenant \(tenant.id)."] }
        }
    }
}
