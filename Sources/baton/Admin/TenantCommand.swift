// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser
import CommandLineInterface

/// Manages organisations (tenants).
struct TenantCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tenant", abstract: "List, add and remove organisations; rotate their signing keys.",
        subcommands: [List.self, Add.self, Remove.self, Keys.self, RotateKeys.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the organisations.")
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.list(IdentityAdmin.listTenants(), ["ID", "DOMAIN", "NAME"]) { tenant in
                [tenant.id, tenant.domain, tenant.displayName]
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
            try await admin.show(
                IdentityAdmin.addTenant(body: IdentityAdmin.NewTenant(displayName: name, domain: domain))
            ) { tenant in ["\(tenant.displayName) was added: tenant \(tenant.id)."] }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Remove an organisation and all its data except the audit log; without --yes, only show what would be "
                + "removed.",
            discussion: "Refused while it has a device in the directory or under management, or an enrollment "
                + "profile that a device can still use.")
        @Argument(help: "The organisation's domain or id.") var name: String
        @Flag(help: "Remove it; this cannot be undone.") var yes = false
        // AdminOptions is not used, because the organisation is an argument here and must never default to the only
        // organisation.
        @OptionGroup var server: AdminServerOptions
        @OptionGroup var output: OutputOptions

        /// The output for `--json`.
        private struct Removed: Encodable {
            let tenant: IdentityAdmin.Tenant
            let removed: IdentityAdmin.TenantHoldings
        }

        func run() async throws {
            try await output.run(
                {
                    let client = try server.client(tenant: "-", output)
                    try client.check(IdentityAdmin.removeTenant.operation)
                    let tenant = try await found(client)
                    guard yes else { throw try await unconfirmed(tenant, client) }
                    let removed = try await client.call(IdentityAdmin.removeTenant(["tenant": tenant.id]))
                    return Removed(tenant: tenant, removed: removed)
                },
                lines: {
                    [
                        "\($0.tenant.domain) is removed: \(Self.words($0.removed)).",
                        "Its audit log stays: baton admin audit list --tenant \($0.tenant.id)",
                    ]
                })
        }

        private func found(_ client: AdminClient) async throws -> IdentityAdmin.Tenant {
            do { return try await client.call(IdentityAdmin.getTenant(["tenant": name])) } catch let failure
                as CommandFailure where failure.code.hasSuffix(".tenant.ambiguous")
            {
                throw failure.withRemedy(
                    "Name it: baton admin tenant remove DOMAIN --yes. To list them: baton admin tenant list.")
            }
        }

        private func unconfirmed(_ tenant: IdentityAdmin.Tenant, _ client: AdminClient) async throws -> CommandFailure {
            let holdings = try await client.call(IdentityAdmin.getTenantHoldings(["tenant": tenant.id]))
            return CommandFailure(
                code: "confirmation_missing",
                message: "Nothing is removed yet. \(tenant.domain) has \(Self.words(holdings)).",
                remedy: "To remove it permanently, run: baton admin tenant remove \(tenant.domain) --yes.")
        }

        private static func words(_ holdings: IdentityAdmin.TenantHoldings) -> String {
            let management = holdings.management
            let words = [
                (holdings.users, "user"), (holdings.groups, "group"), (holdings.clients, "client"),
                (holdings.sessions, "session"), (holdings.devices, "joined device"),
                (management.devices, "managed device"), (management.enrollmentProfiles, "enrollment profile"),
                (management.profiles, "profile"), (management.apps, "app package"),
            ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }
            return words.isEmpty ? "nothing" : words.joined(separator: ", ")
        }
    }

    struct Keys: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the keys for verifying tokens.")
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.list(IdentityAdmin.listSigningKeys(), Self.header, row: Self.row)
        }

        static let header = ["ID", "ALGORITHM", "SIGNS FROM", "NOW"]

        static func row(_ key: IdentityAdmin.SigningKey) -> [String] {
            let begin = TextTable.time(key.signsAt)
            return [key.id, key.algorithm, begin, key.isCurrent ? "signs" : ""]
        }
    }

    struct RotateKeys: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create new signing keys; they sign after every app has had time to fetch them.",
            discussion: "The old keys are removed when the last token that they signed has expired.")
        @Flag(help: "Use them at once, for example after a key was exposed.") var immediately = false
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.show(
                IdentityAdmin.rotateSigningKeys(body: IdentityAdmin.KeyRotation(immediately: immediately))
            ) { keys in TextTable.lines(Keys.header, keys.map(Keys.row)) }
        }
    }
}
