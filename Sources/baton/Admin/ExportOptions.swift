// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser
import CommandLineInterface
import Files
import Glibc

/// Where the lines of an export go: to standard output as they arrive, or into a new file, which exists only once the
/// export is complete.
struct ExportOptions: ParsableArguments {
    @Option(help: "A new file for the export, which only its owner may read (default: standard output).")
    var output: String?
    @OptionGroup var admin: AdminOptions

    /// The output for `--json`.
    private struct Written: Encodable {
        let file: String
        let lines: Int
    }

    /// Fetches an export.
    func run(_ request: AdminRequest<Export>) async throws {
        let request = admin.completed(request)
        try await admin.output.reporting {
            let client = try admin.client
            guard let output else {
                _ = try await client.export(request) { try OutputOptions.print($0) }
                return
            }
            let count = try await Self.write(to: output) { draft in
                try await client.export(request) { lines in
                    let text = Array(lines.map { $0 + "\n" }.joined().utf8)
                    try Self.reporting(output) { () throws(FileError) in try draft.append(text) }
                }
            }
            try admin.output.print(Written(file: output, lines: count)) { ["\($0.lines) lines are in \($0.file)."] }
        }
    }

    /// Runs `body`, and gives the file its name if `body` succeeds. If `body` fails or a signal ends the command, no
    /// file is left.
    private static func write(
        to path: String, _ body: @escaping @Sendable (DraftFile) async throws -> Int
    ) async throws -> Int {
        let (end, signal) = await Signals.cancelling {
            let draft = try reporting(path) { () throws(FileError) in try DraftFile(for: path) }
            do {
                let count = try await body(draft)
                try reporting(path) { () throws(FileError) in try draft.publish() }
                return count
            } catch {
                draft.discard()
                throw error
            }
        }
        if case .failure = end, let signal { throw interrupted(path, by: signal) }
        return try end.get()
    }

    /// Reports a failed file operation.
    private static func reporting<Value>(_ path: String, _ body: () throws(FileError) -> Value) throws -> Value {
        do { return try body() } catch {
            guard error.errno != EEXIST else {
                throw CommandFailure(
                    code: "export_exists", message: "\(path) exists already.", remedy: "Give the name of a new file.")
            }
            throw CommandFailure(
                code: "file_not_written", message: "\(path) cannot be written (\(error)).",
                remedy: "Check that the folder exists and that the disk has room, or give another path.")
        }
    }

    /// Returns the failure for an export that a signal ended. Its exit code is 128 plus the signal's number, as in a
    /// shell.
    private static func interrupted(_ path: String, by number: Int32) -> CommandFailure {
        CommandFailure(
            code: "export_interrupted", message: "The export was interrupted. \(path) was not written.",
            remedy: "Run the command again.", exitCode: ExitCode(128 + number))
    }
}
