// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser
import CommandLineInterface
import FoundationEssentials

/// Reads the audit logs of the directory and of device management.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Read and export the audit logs.",
        subcommands: [List.self, Devices.self, Export.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the latest entries of the audit log, oldest first.")
        @Option(help: "The number of entries, at most 10000.") var count = 100
        @OptionGroup var admin: AdminOptions

        func validate() throws { try AuditCommand.check(count) }

        func run() async throws {
            try await admin.list(
                IdentityAdmin.listAuditEntries(query: [("count", String(count))]),
                ["TIME", "ACTOR", "ACTION", "SUBJECT", "OUTCOME", "METHOD", "TIMES", "INTERFACE", "ADDRESS"]
            ) { entry in
                [
                    TextTable.time(entry.time), entry.actor,
                    entry.action, entry.subject ?? "-", entry.outcome, entry.method ?? "-", String(entry.repetitions),
                    entry.interface ?? "-", entry.clientAddress ?? "-",
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
                MDMAdmin.listManagementAuditEntries(query: [("count", String(count))]),
                ["TIME", "ACTOR", "ACTION", "SUBJECT", "INTERFACE", "ADDRESS", "DETAIL"]
            ) { entry in
                [
                    TextTable.time(entry.time), entry.actor,
                    entry.action, entry.subject, entry.interface ?? "-", entry.clientAddress ?? "-",
                    entry.detail ?? "-",
                ]
            }
        }
    }

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print or save the entries of a period, one JSON object on each line, oldest first.",
            discussion: "The audit log records the export.")
        @Option(help: "The beginning: 2026-11-01 or 2026-11-01T08:00:00Z.") var from: PointInTime
        @Option(help: "The end, which is excluded (default: now).") var to: PointInTime?
        @Flag(help: "Export the log of device management instead of the directory's.") var devices = false
        @OptionGroup var export: ExportOptions

        func validate() throws {
            guard from < to ?? .now else { throw ValidationError("--from must be earlier than --to (default: now).") }
        }

        func run() async throws {
            let query = [("from", from.text), ("to", (to ?? .now).text)]
            if devices {
                try await export.run(MDMAdmin.exportManagementAuditEntries(query: query))
            } else {
                try await export.run(IdentityAdmin.exportAuditEntries(query: query))
            }
        }
    }

    fileprivate static func check(_ count: Int) throws {
        guard (1...10_000).contains(count) else { throw ValidationError("--count is 1 to 10000.") }
    }
}

/// A point in time on the command line: a date with a time (RFC 3339), or a date alone, which means its first moment in
/// UTC.
struct PointInTime: ExpressibleByArgument, Comparable {
    /// Milliseconds since 1970.
    private let milliseconds: Int64

    /// The end of the present millisecond.
    static var now: PointInTime { PointInTime(Date.now) }

    /// The value for a query parameter.
    var text: String { String(milliseconds) }

    init?(argument: String) {
        let text = argument.utf8.count == 10 ? argument + "T00:00:00Z" : argument
        guard let date = try? Date(text, strategy: .iso8601) else { return nil }
        milliseconds = Int64(date.timeIntervalSince1970 * 1000)
    }

    static func < (one: PointInTime, other: PointInTime) -> Bool { one.milliseconds < other.milliseconds }

    private init(_ date: Date) { milliseconds = Int64(date.timeIntervalSince1970 * 1000) + 1 }
}
