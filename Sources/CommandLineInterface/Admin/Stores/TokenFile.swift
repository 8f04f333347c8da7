// SPDX-License-Identifier: Apache-2.0
internal import Files
internal import Processes
internal import Redaction

/// Keeps a sign-in in a file that only this user may read (`--token-file`).
struct TokenFile: SignInStore {
    let path: String
    private var file: PrivateFile { PrivateFile(path: path) }

    private static let limit = 64 << 10

    var place: String { "the file \(path)" }
    var lockFile: String? { path + ".lock" }

    func check() async throws {
        try await reporting { file throws(FileError) in try file.checkReplaceable() }
    }

    func read(for administration: ServerURL) async throws -> KeptSignIn? {
        guard var content = try await reporting({ file throws(FileError) in try file.read(limit: Self.limit) }) else {
            return nil
        }
        defer { wipe(&content) }
        guard let kept = KeptSignIn(decoding: content) else {
            throw CommandFailure(
                code: "token_file_malformed", message: "\(path) does not contain a sign-in.",
                remedy: "Name another file with --token-file, or remove this one and sign in again.")
        }
        // A token must reach no server other than its own.
        guard kept.administration == administration.origin else {
            throw CommandFailure(
                code: "token_file_other",
                message: "\(path) contains a sign-in for \(TextTable.printable(kept.administration)).",
                remedy: "Use another --token-file for each server.")
        }
        return kept
    }

    func write(_ kept: KeptSignIn) async throws {
        let content = try kept.encoded()
        try await reporting { file throws(FileError) in
            var content = content
            defer { wipe(&content) }
            try file.replace(with: content)
        }
    }

    func remove(for administration: ServerURL) async throws {
        try await reporting { file throws(FileError) in _ = try AtomicFile(path: file.path).remove() }
    }

    private func reporting<Value: Sendable>(
        _ body: @escaping @Sendable (PrivateFile) throws(FileError) -> Value
    ) async throws -> Value {
        do { return try await blocking { [file] in try body(file) } } catch let error as FileError {
            throw PrivateFileFailure.reading(error, code: "token_file", path)
        }
    }
}
