// SPDX-License-Identifier: Apache-2.0
internal import ArgumentParser
internal import FoundationEssentials
internal import Glibc
internal import Storage

/// The options of every command of `baton-server storage`, and its output: progress on standard error, the result on
/// standard output.
struct StorageOptions: ParsableArguments {
    @Option(help: "The server's configuration file.")
    var config: String

    @Flag(help: "Print JSON for programs, and no progress.")
    var json = false

    /// Runs a command, reports its errors, and ends with the error's exit code.
    func reporting(_ body: () async throws -> Void) async throws {
        // Files that the command creates are accessible only to its user.
        umask(0o077)
        do { try await body() } catch {
            if isLive { Self.write("\n", to: STDERR_FILENO) }
            let failure = StorageFailure(error)
            failure.print(asJSON: json)
            throw ExitCode(failure.exitCode)
        }
    }

    /// Reports progress: on a terminal in one line that changes, otherwise in one line for each table.
    var progress: TransferProgress.Report {
        if json { return { _ in } }
        let isLive = isLive
        return { step in
            let text =
                "\(step.phase.rawValue) \(step.database): table \(step.number) of \(step.tables), \(step.table), "
                + "\(step.rows) rows"
            if isLive {
                Self.write("\r\u{1b}[K\(text)", to: STDERR_FILENO)
            } else if step.isComplete {
                Self.write(text + "\n", to: STDERR_FILENO)
            }
        }
    }

    private var isLive: Bool { !json && isatty(STDERR_FILENO) == 1 }

    /// Prints the result.
    func print(_ result: some Encodable, lines: [String]) throws {
        if isLive { Self.write("\r\u{1b}[K", to: STDERR_FILENO) }
        guard json else { return Self.write(lines.map { $0 + "\n" }.joined(), to: STDOUT_FILENO) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        Self.write(String(decoding: try encoder.encode(result), as: UTF8.self) + "\n", to: STDOUT_FILENO)
    }

    private static func write(_ text: String, to file: Int32) {
        _ = unsafe Glibc.write(file, text, text.utf8.count)
    }
}
