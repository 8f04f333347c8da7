// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Glibc

/// A file that only grows at its end. The caller knows its valid length.
///
/// Every call blocks on disk I/O: call it from a thread or executor that may block.
package struct AppendedFile: Sendable {
    package let path: String

    package init(path: String) { self.path = path }

    /// Writes `content` durably after the first `length` bytes. Discards any bytes after them, which come from a failed
    /// attempt or a torn write and were never acknowledged.
    ///
    /// - Throws: ``FileError``; `ENODATA` if the file is shorter than `length`.
    package func append(_ content: [UInt8], after length: Int) throws(FileError) {
        let file = unsafe clinux_open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw FileError(.open, errno: -file, path: path) }
        defer { _ = close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else { throw FileError(.read, errno: errno, path: path) }
        guard status.st_size >= off_t(length) else { throw FileError(.read, errno: ENODATA, path: path) }
        guard ftruncate(file, off_t(length)) == 0, lseek(file, off_t(length), SEEK_SET) == off_t(length) else {
            throw FileError(.write, errno: errno, path: path)
        }
        try FileWriting.writeAll(content, to: file, path: path)
        guard fsync(file) == 0 else { throw FileError(.sync, errno: errno, path: path) }
    }
}
