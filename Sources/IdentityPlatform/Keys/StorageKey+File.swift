// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import Redaction

extension StorageKey {
    /// Reads the key of a file, or makes file and key: 32 random bytes, mode 0600, durable when the call returns.
    ///
    /// - Parameter directory: holds the file and exists.
    /// - Throws: ``Failure``; an existing file of another length, or of another owner, is refused, never replaced.
    package static func load(file name: String, in directory: String, ambient: Ambient = .system) throws -> StorageKey {
        let path = "\(directory)/\(name)"
        if let key = try read(path) { return key }
        try make(path, directory, ambient.randomBytes(length))
        guard let key = try read(path) else { throw Failure.file(errno: ENOENT) }
        return key
    }

    private static func read(_ path: String) throws -> StorageKey? {
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw Failure.file(errno: errno)
        }
        defer { close(descriptor) }
        guard fchmod(descriptor, 0o600) == 0 else { throw Failure.file(errno: errno) }
        var bytes = [UInt8](repeating: 0, count: length + 1)
        defer { wipe(&bytes) }
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
        guard count == length else { throw Failure.notAKey }
        return try StorageKey(SecretBytes(copying: bytes.prefix(length)))
    }

    /// Writes a temporary file and links it into place: a crash leaves no half key, and an existing key is never
    /// overwritten.
    private static func make(_ path: String, _ directory: String, _ bytes: [UInt8]) throws {
        let temporary = "\(path).new"
        unsafe unlink(temporary)
        let descriptor = unsafe Glibc.open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Failure.file(errno: errno) }
        defer {
            close(descriptor)
            unsafe unlink(temporary)
        }
        let count = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
        guard count == bytes.count, fsync(descriptor) == 0 else { throw Failure.file(errno: errno) }
        guard unsafe link(temporary, path) == 0 || errno == EEXIST else { throw Failure.file(errno: errno) }
        let folder = unsafe Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw Failure.file(errno: errno) }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw Failure.file(errno: errno) }
    }
}
