// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
internal import Glibc

/// The server's state directory, accessible only to the server's user and used by one server at a time.
final class StateDirectory: Sendable {
    let path: String
    private let lock: Int32

    /// The file that exists while a restore replaces the databases.
    static let unfinishedRestore = "restore.unfinished"

    /// Creates the directory if it is missing and locks it. The kernel releases the lock when the process ends.
    ///
    /// - Parameter isForRestore: whether the databases may be in the state that an interrupted restore left behind.
    /// - Throws: ``ServerError``
    init(path: String, isForRestore: Bool = false) throws {
        self.path = path
        try Self.make(path)
        lock = unsafe open(path + "/lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard lock >= 0 else { throw Self.unusable(path) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
            throw ServerError(
                .directoryInUse, "Another baton-server uses the directory \(path).",
                remedy: "Stop it, or configure another directory.")
        }
        guard try isForRestore || read(Self.unfinishedRestore) == nil else {
            throw ServerError(
                .restoreUnfinished, "A restore of the databases in \(path) was interrupted.",
                remedy: "Run `baton admin storage restore` again.")
        }
    }

    deinit { close(lock) }

    func path(of name: String) -> String { path + "/" + name }

    /// Creates a folder inside the state directory, accessible only to the server's user.
    ///
    /// - Throws: ``ServerError``
    func makeFolder(_ name: String) throws { try Self.make(path(of: name)) }

    /// Returns the bytes of a file; nil if it does not exist.
    ///
    /// - Throws: ``ServerError`` if the file cannot be read.
    func read(_ name: String) throws -> [UInt8]? {
        let path = path(of: name)
        guard unsafe access(path, F_OK) == 0 else {
            if errno == ENOENT { return nil }
            throw Self.unusable(path)
        }
        do { return [UInt8](try Data(contentsOf: URL(filePath: path))) } catch { throw Self.unusable(path) }
    }

    /// Replaces a whole file durably: write, sync, rename, sync the folder. Its mode is 0600.
    ///
    /// - Throws: ``ServerError``
    func replace(_ name: String, with bytes: [UInt8]) throws {
        let target = path(of: name)
        let fresh = target + ".new"
        let file = unsafe open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw Self.unusable(target) }
        defer { close(file) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
            guard count > 0 else { throw Self.unusable(target) }
            rest = rest.dropFirst(count)
        }
        guard fsync(file) == 0, unsafe Glibc.rename(fresh, target) == 0 else { throw Self.unusable(target) }
        try Self.sync(Self.parent(of: target))
    }

    /// Renames a file, given by its whole path. A missing file is not an error. ``sync()`` makes the name durable.
    ///
    /// - Throws: ``ServerError``
    func rename(_ file: String, to target: String) throws {
        guard unsafe Glibc.rename(file, target) == 0 || errno == ENOENT else { throw Self.unusable(target) }
    }

    /// Removes a file durably. A missing file is not an error.
    ///
    /// - Throws: ``ServerError``
    func remove(_ name: String) throws {
        guard unsafe unlink(path(of: name)) == 0 || errno == ENOENT else { throw Self.unusable(path(of: name)) }
        try sync()
    }

    /// Makes changed names in the directory durable.
    ///
    /// - Throws: ``ServerError``
    func sync() throws { try Self.sync(path) }

    private static func sync(_ path: String) throws {
        let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw unusable(path) }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw unusable(path) }
    }

    private static func make(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw unusable(path)
        }
        guard unsafe chmod(path, 0o700) == 0 else { throw unusable(path) }
    }

    private static func parent(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }

    private static func unusable(_ path: String) -> ServerError {
        ServerError(
            .directoryUnusable, "\(path) cannot be made, read or written (errno \(errno)).",
            remedy: "Give the server's user a directory of its own, with room on the disk.")
    }
}
