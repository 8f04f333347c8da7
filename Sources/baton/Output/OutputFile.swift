// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CommandLineInterface
import Files
import Glibc

/// The file of `--output`, which must not exist yet. It exists only once its content is complete.
enum OutputFile {
    /// Runs `body`, which writes and publishes a draft. If `body` fails or a signal ends the command, no file is left. A
    /// name that is taken, and a folder in which no file can be created, are refused before `body` runs.
    ///
    /// - Throws: ``CommandFailure``, or what `body` throws.
    static func with<Value: Sendable>(
        _ path: String, _ body: @escaping @Sendable (DraftFile) async throws -> Value
    ) async throws -> Value {
        let (end, signal) = await Signals.cancelling {
            let draft = try reporting(path) { () throws(FileError) in try DraftFile(for: path) }
            do { return try await body(draft) } catch {
                draft.discard()
                throw error
            }
        }
        if case .failure = end, let signal { throw interrupted(path, by: signal) }
        return try end.get()
    }

    /// Reports a failed file operation.
    static func reporting<Value>(_ path: String, _ body: () throws(FileError) -> Value) throws -> Value {
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

    /// Returns the failure for a command that a signal ended. Its exit code is 128 plus the signal's number, as in a
    /// shell.
    private static func interrupted(_ path: String, by number: Int32) -> CommandFailure {
        CommandFailure(
            code: "export_interrupted", message: "The export was interrupted. \(path) was not written.",
            remedy: "Run the command again.", exitCode: ExitCode(128 + number))
    }
}
