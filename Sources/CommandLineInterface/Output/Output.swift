// SPDX-License-Identifier: Apache-2.0
internal import ArgumentParser
internal import FoundationEssentials
internal import Glibc

/// The output of every command: lines or, with `--json`, one JSON value.
package struct OutputOptions: ParsableArguments, Sendable {
    @Flag(help: "Print JSON for programs.")
    package var json = false

    package init() {}

    /// Runs `body` and prints its result. Errors go to standard error and determine the exit code.
    package func run<Value: Encodable>(_ body: () async throws -> Value, lines: (Value) -> [String]) async throws {
        try await reporting {
            try print(try await body(), lines: lines)
        }
    }

    /// Prints a value in the requested form.
    package func print<Value: Encodable>(_ value: Value, lines: (Value) -> [String]) throws {
        if json { try Self.print(json: value) } else { try Self.print(lines(value).map(TextTable.printableLines)) }
    }

    /// Runs `body`, which has no result, and prints `done`.
    package func run(_ body: () async throws -> Void, done: String) async throws {
        try await run(
            {
                try await body()
                return ["done": true]
            }, lines: { _ in [done] })
    }

    /// Prints warnings to standard error, so that they are visible if the output is redirected. With `--json`, the
    /// warnings are part of the answer.
    package func warn(_ warnings: [String]) {
        guard !json else { return }
        // A warning that cannot be printed must not make the command fail after its work is done.
        try? Self.print(warnings.map { TextTable.printableLines("warning: \($0)") }, to: STDERR_FILENO)
    }

    /// Runs `body`, which prints its own output. Errors go to standard error and determine the exit code.
    package func reporting(_ body: () async throws -> Void) async throws {
        do { try await body() } catch {
            let failure = CommandFailure(reading: error)
            // If standard error cannot be written either, the exit code still reports the error.
            try? failure.print(asJSON: json)
            throw failure.exitCode
        }
    }

    /// Prints one JSON value as one line.
    package static func print(json value: some Encodable, to file: Int32 = STDOUT_FILENO) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try print([String(decoding: try encoder.encode(value), as: UTF8.self)], to: file)
    }

    /// Writes whole lines at once, so that lines of several processes do not mix.
    ///
    /// - Throws: ``CommandFailure`` if they cannot be written, because lost output must not look like empty output.
    package static func print(_ lines: [String], to file: Int32 = STDOUT_FILENO) throws {
        try write(lines.map { $0 + "\n" }.joined(), to: file)
    }

    /// Writes text.
    ///
    /// - Throws: as ``print(_:to:)``.
    static func write(_ text: String, to file: Int32) throws {
        let text = Array(text.utf8)
        var offset = 0
        while offset < text.count {
            let count = unsafe text[offset...].withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw CommandFailure.unwritten(errno: count < 0 ? errno : EIO) }
            offset += count
        }
    }
}
