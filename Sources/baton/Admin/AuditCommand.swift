// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser

/// Reads the audit logs of the directory and of device management.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Read the audit logs.", subcommands: [List.self, Devices.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the latest entries of the audit log, oldest first.")
        @Option(help: "The number of entries, at most 10000.") var count = 100
        @OptionGroup var admin: AdminOptions

        func validate() throws { try AuditCommand.check(count) }

        func run() async throws {
            try await admin.list(
                IdentityAdmin.Path.audit, query: [("count", String(count))],
                ["TIME", "ACTOR", "ACTION", "SUBJECT", "OUTCOME", "METHOD", "TIMES", "ADDRESS"]
            ) { (entry: IdentityAdmin.AuditEntry) in
                [
                    Table.time(entry.time), entry.actor,
                    entry.action, entry.subject ?? "-", entry.outcome, entry.method ?? "-", String(entry.repetitions),
                    entry.clientAddress ?? "-",
                ]
            }
        }
    }

    struct Devices: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the latest actions of device management, oldest first.")
        @Option(help: "The number of entries, at most 10000.") var count = 100
        @OptionGroup var admin: AdminOptions

        func validate() throws { try AuditCommand.check(count) }

        func run() async throws {
            try await admin.list(
                MDMAdmin.Path.audit, query: [("count", String(count))],
                ["TIME", "ACTOR", "ACTION", "SUBJECT", "DETAIL"]
            ) { (entry: MDMAdmin.AuditEntry) in
                [
                    Table.time(entry.time), entry.actor,
                    entry.action, entry.subject, entry.detail ?? "-",
                ]
            }
        }
    }

    fileprivate static func check(_ count: Int) throws {
        guard (1...10_000).contains(count) else { throw ValidationError("--count is 1 to 10000.") }
    }
}
