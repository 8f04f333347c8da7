// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
internal import BrokerAgent
import CommandLineInterface
import DeviceAudit
internal import Files
import FoundationEssentials
import Glibc
import Processes

extension DeviceCommand {
    /// Compares the device before and after a session.
    struct Audit: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Find what a session has left: compare files, processes and sockets before and after it.",
            discussion: """
                Before the session: baton device audit --save FILE. After it: baton device audit --compare FILE. Run it as \
                root, so that it can read every place. The list contains the names of files, which can say something about \
                a worker.

                Exit codes: 0 nothing was left that Baton should have cleared; 1 something was left; 77 some places could not \
                be read, and nothing was found elsewhere.
                """)

        @Option(help: ArgumentHelp("Save what is on the device in this file, which must not exist.", valueName: "file"))
        var save: String?
        @Option(help: ArgumentHelp("Compare with this file of an earlier --save.", valueName: "file"))
        var compare: String?
        @Option(help: "batond's configuration file, which names the state folder and the session users.")
        var config = "/etc/baton/batond.json"
        @Option(
            help: """
                baton-agent's configuration file, which names the folder of browser profiles (default: \
                \(standardAgentConfig) if it exists).
                """)
        var agentConfig: String?
        private static let standardAgentConfig = "/etc/baton/baton-agent.json"
        @Option(help: ArgumentHelp("Do not look into this folder. May be repeated.", valueName: "folder"))
        var skip: [String] = []
        @Flag(help: "Also count items that Baton does not clear (see docs/reference/leftovers.md).")
        var strict = false
        @Flag(help: "Also list items that stay by design.")
        var all = false
        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard (save == nil) != (compare == nil) else { throw ValidationError("Give either --save or --compare.") }
            guard skip.allSatisfy({ $0.hasPrefix("/") }) else {
                throw ValidationError("--skip must be an absolute path.")
            }
        }

        func run() async throws {
            if let save {
                let saved = try await result({ try take(savingTo: save) }, lines: { $0.lines(save) })
                guard saved.unread.isEmpty else { throw ExitCode.unreadable }
            } else if let compare {
                let report = try await result({ try difference(from: compare) }, lines: { lines($0) })
                guard report.isClean, !strict || report.isEmpty else { throw ExitCode.failure }
                guard report.unread.isEmpty else { throw ExitCode.unreadable }
            }
        }

        /// Runs `body` on a thread that may block, prints its result and returns it.
        private func result<Value: Encodable & Sendable>(
            _ body: @escaping @Sendable () throws -> Value, lines: (Value) -> [String]
        ) async throws -> Value {
            var result: Value?
            try await output.run(
                {
                    let value = try await blocking(body)
                    result = value
                    return value
                }, lines: lines)
            guard let result else { throw ExitCode.failure }
            return result
        }

        private func take(savingTo path: String) throws -> Saved {
            let snapshot = try AuditSnapshot.take(try scope(without: path))
            let lines = try snapshot.lines()
            do throws(FileError) { try NewFile.write(lines, to: path) } catch {
                throw error.errno == EEXIST
                    ? CommandFailure(
                        code: "snapshot_exists", message: "\(path) exists already; nothing was written.",
                        remedy: "Give the name of a file that does not exist.")
                    : CommandFailure(
                        code: "file_not_written", message: "\(path) cannot be written (\(error)).",
                        remedy: "Give another path.")
            }
            return Saved(items: snapshot.content.items.count, unread: snapshot.content.unread)
        }

        private func difference(from path: String) throws -> AuditReport {
            let before: AuditSnapshot
            do throws(AuditSnapshot.Damage) { before = try AuditSnapshot(path: path) } catch {
                throw Self.failure(error, path)
            }
            let scope = try scope(without: path)
            guard scope.record == before.scope else {
                throw CommandFailure(
                    code: "snapshot_scope_differs",
                    message: "\(path) was saved with other folders, session users or --skip options.",
                    remedy:
                        "Give the same --config, --agent-config and --skip as with --save, or save another snapshot.")
            }
            return AuditReport(from: before, to: try AuditSnapshot.take(scope), scope: scope)
        }

        private static func failure(_ damage: AuditSnapshot.Damage, _ path: String) -> CommandFailure {
            let cause =
                switch damage {
                case .missing: "does not exist"
                case .notASnapshot: "is not a snapshot, or is damaged"
                case .otherFormat: "was saved by another release of baton"
                case .unreadable(let reason): "cannot be read (\(reason))"
                }
            return CommandFailure(
                code: "snapshot_unreadable", message: "\(path) \(cause).",
                remedy: "Save a snapshot before the session: baton device audit --save FILE.")
        }

        // MARK: - What is read

        /// Returns the places that the audit examines, from the configuration of batond and the agent.
        ///
        /// - Parameter snapshot: the file of the snapshot, which the audit leaves out.
        private func scope(without snapshot: String) throws -> AuditScope {
            let broker = try configuration(config, option: "--config") { try JSONCodec.read(BrokerFolders.self, $0) }
            guard let broker else {
                throw CommandFailure(
                    code: "configuration_unreadable", message: "\(config) does not exist.",
                    remedy: "Name batond's configuration file with --config.")
            }
            guard FileManager.default.fileExists(atPath: broker.directory) else {
                throw CommandFailure(
                    code: "state_missing", message: "There is no \(broker.directory), which \(config) names.",
                    remedy: "Name batond's configuration file with --config.")
            }
            // A device without an agent has no browser for the worker.
            let agent = try configuration(agentConfig ?? Self.standardAgentConfig, option: "--agent-config") {
                try AgentConfiguration(json: $0)
            }
            if let agentConfig, agent == nil {
                throw CommandFailure(
                    code: "configuration_unreadable", message: "\(agentConfig) does not exist.",
                    remedy: "Name baton-agent's configuration file with --agent-config, or leave the option out.")
            }
            let users = try (broker.sessionUsers ?? []).map { number in
                guard let user = SystemUser(number: number) else {
                    throw CommandFailure(
                        code: "session_user_unknown", message: "The system has no user \(number).",
                        remedy: "Correct sessionUsers in \(config).")
                }
                return user
            }
            return AuditScope(
                state: real(broker.directory), profiles: (agent?.profiles).map(real),
                users: users.map { SystemUser(number: $0.number, group: $0.group, home: real($0.home)) },
                programs: OwnProgram.containingFolder, skipped: skip.map(real), snapshot: real(absolute(snapshot)))
        }

        private func configuration<Value>(
            _ path: String, option: String, _ read: ([UInt8]) throws -> Value
        ) throws -> Value? {
            do {
                return try AtomicFile(path: path).read(limit: 1 << 20).map(read)
            } catch {
                throw CommandFailure(
                    code: "configuration_unreadable", message: "\(path) cannot be read (\(error)).",
                    remedy: "Name the file with \(option), and run the command as root.")
            }
        }

        private func absolute(_ path: String) -> String {
            path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        }

        /// Returns the folder's path with symbolic links resolved; `path` itself if the folder does not exist.
        private func real(_ path: String) -> String { (try? Directory(path: path).realPath()) ?? path }

        // MARK: - Output

        private func lines(_ report: AuditReport) -> [String] {
            let shown = report.groups.filter { all || $0.judgement != .kept }
            return shown.flatMap(Self.lines) + Self.lines(report.unread)
                + skip.map { "not looked into: \(TextTable.printable($0))" } + [summary(report)]
        }

        private static func lines(_ group: AuditReport.Group) -> [String] {
            let more = group.differences.count - maximumLines
            var lines = ["\(words(group.judgement)): \(group.entry ?? "no entry of docs/reference/leftovers.md")"]
            lines += group.differences.prefix(maximumLines).map { difference in
                "  \(difference.change.rawValue) \(difference.kind.rawValue) \(TextTable.printable(difference.name))"
            }
            if more > 0 { lines.append("  and \(more) more; --json lists all") }
            if let remedy = group.remedy { lines.append("  what helps: \(remedy)") }
            return lines
        }

        private static func lines(_ unread: [UnreadPlace]) -> [String] {
            unread.map { "could not be read: \(TextTable.printable($0.name)) (\($0.cause))" }
        }

        private static let maximumLines = 20

        private func summary(_ report: AuditReport) -> String {
            func count(_ judgement: AuditReport.Judgement) -> Int {
                report.groups.filter { $0.judgement == judgement }.reduce(0) { $0 + $1.differences.count }
            }
            let unread = report.unread.isEmpty ? "" : ", \(report.unread.count) places could not be read"
            return
                "\(count(.unexplained)) unexplained, \(count(.present)) that Baton clears, \(count(.notCovered)) that it "
                + "does not clear\(unread)."
        }

        private static func words(_ judgement: AuditReport.Judgement) -> String {
            switch judgement {
            case .unexplained: "unexplained"
            case .present: "Baton clears this, but it is still there"
            case .notCovered: "Baton does not clear this"
            case .kept: "stays by design"
            }
        }

        /// The part of batond's configuration file that an audit needs. batond itself checks the whole file.
        private struct BrokerFolders: Decodable {
            let directory: String
            let sessionUsers: [UInt32]?
        }

        /// The result of --save.
        private struct Saved: Encodable, Sendable {
            let items: Int
            let unread: [UnreadPlace]

            func lines(_ path: String) -> [String] {
                ["Saved \(items) items in \(path)."] + Audit.lines(unread)
            }
        }
    }
}

extension ExitCode {
    /// The audit could not read something, so it cannot tell whether anything was left.
    fileprivate static let unreadable = ExitCode(EX_NOPERM)
}
