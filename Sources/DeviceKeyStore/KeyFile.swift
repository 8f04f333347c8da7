// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Files
internal import Glibc
internal import Redaction

/// Reads the files that hold the device's own keys. It refuses a file whose owner or mode lets anyone except the
/// broker's user access the file.
enum KeyFile {
    private static let limit = 64 << 10

    /// Returns the file's content; nil if there is no such file.
    ///
    /// - Throws: ``KeyFileExposed`` if another user owns the file, or if others may read or write it; ``FileError``.
    static func read(_ name: String, in directory: Directory) throws -> SecretBytes? {
        let path = directory.path + "/" + name
        let number = unsafe clinux_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0)
        if number == -ENOENT { return nil }
        guard number >= 0 else { throw FileError(.open, errno: -number, path: path) }
        defer { _ = close(number) }
        var status = stat()
        guard unsafe fstat(number, &status) == 0 else { throw FileError(.open, errno: errno, path: path) }
        guard status.st_uid == geteuid(), status.st_mode & 0o077 == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw KeyFileExposed(file: name)
        }
        guard var bytes = try AtomicFile(path: path).read(limit: limit) else { return nil }
        return SecretBytes(consuming: &bytes)
    }

    /// Returns a file's content as text.
    static func text(_ secret: SecretBytes) -> String {
        unsafe secret.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
}

/// A key file that other users may have read. Signatures made with the key no longer prove anything.
package struct KeyFileExposed: Error, Equatable, CustomStringConvertible {
    package let file: String

    package var description: String {
        "key_file_exposed: keys/\(file) belongs to another user, or others may read it. If nobody can have copied it, run "
            + "chown and chmod 0600; otherwise remove the device from the directory and join again."
    }
}
