// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Files
internal import Glibc
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
        try await reporting { file throws(FileError) in
            try file.checkReplaceable()
            try Self.checkRoom(beside: file.path)
        }
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

    func readExposed(for administration: ServerURL) async throws -> KeptSignIn? {
        try await reporting { file throws(FileError) in try Self.takeFromReaders(file.path) }
        return try await read(for: administration)
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

    /// Gives a file of this user that others may read, but not write, the mode 0600. Leaves any other file alone.
    private static func takeFromReaders(_ path: String) throws(FileError) {
        let file = unsafe clinux_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0)
        guard file >= 0 else { return }
        defer { _ = close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_mode & 0o022 == 0
        else { return }
        guard fchmod(file, 0o600) == 0 else { throw FileError(.write, errno: errno, path: path) }
    }

    /// Checks that the disk has room for a new content, and changes nothing.
    private static func checkRoom(beside path: String) throws(FileError) {
        let draft = path + ".room"
        let file = unsafe clinux_open(draft, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw FileError(.open, errno: -file, path: draft) }
        defer {
            _ = close(file)
            _ = unsafe unlink(draft)
        }
        let error = posix_fallocate(file, 0, off_t(limit))
        guard error == 0 else { throw FileError(.write, errno: error, path: draft) }
    }

    private func reporting<Value: Sendable>(
        _ body: @escaping @Sendable (PrivateFile) throws(FileError) -> Value
    ) async throws -> Value {
        do { return try await blocking { [file] in try body(file) } } catch let error as FileError {
            throw PrivateFileFailure.reading(error, code: "token_file", path, ifExposed: Self.ending)
        }
    }

    private static let ending =
        "If somebody may have copied or replaced it, end its session: run baton admin sign-out with the same options or, "
        + "if that is refused, too, \(AdminSession.endingSession)."
}
