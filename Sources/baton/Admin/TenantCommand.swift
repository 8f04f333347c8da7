// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser
import FoundationEssentials

/// Organisations.
struct TenantCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tenant", abstract: "List and add organisations, and give them new signing keys.",
        subcommands: [List.self, Add.self, Keys.self, RotateKeys.self])

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
            abstract: "Add an organisation, with signing keys and the well-known clients.")
        @Argument(help: "The organisation's domain, such as contoso.example.") var domain: String
        @Option(help: "Its name.") var name: String
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.send(
                "POST", IdentityAdmin.Path.tenants, body: { IdentityAdmin.NewTenant(displayName: name, domain: domain) }
            ) { (tenant: IdentityAdmin.Tenant) in ["\(tenant.displayName) is there: tenant \(tenant.id)."] }
        }
    }

    struct Keys: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the keys that the tokens are checked with.")
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.list(IdentityAdmin.Path.signingKeys, Self.header, row: Self.row)
        }

        static let header = ["ID", "ALGORITHM", "SIGNS FROM", "NOW"]

        static func row(_ key: IdentityAdmin.SigningKey) -> [String] {
            let begin = Date(timeIntervalSince1970: Double(key.signs)).formatted(.iso8601)
            return [key.id, key.algorithm, begin, key.isCurrent ? "signs" : ""]
        }
    }

    struct RotateKeys: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make new signing keys; they sign when every app has had time to fetch them.",
            discussion: "The old keys go when the last token that they have signed is over.")
        @Flag(help: "Let them sign at once, as after a key became known to others.") var immediately = false
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.send(
                "POST", IdentityAdmin.Path.signingKeys,
                body: { IdentityAdmin.KeyRotation(immediately: immediately) }
            ) { (keys: [IdentityAdmin.SigningKey]) in Table.lines(Keys.header, keys.map(Keys.row)) }
        }
    }
}
