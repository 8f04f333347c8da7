// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Glibc

/// A file that grows at its end only; how long it is by right, its caller knows.
///
/// Every call blocks on the disk: call it from a thread or executor that may block.
package struct AppendedFile: Sendable {
    package let path: String

    package init(path: String) { self.path = path }

    /// Writes `content` behind the first `length` bytes, durably. What stood behind them was never acknowledged (an earlier
    /// attempt that failed, or a torn write) and goes.
    ///
    /// - Throws: ``FileError``; `ENODATA` where the file is shorter than it is by right.
    package func append(_ content: [UInt8], behind length: Int) throws(FileError) {
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
