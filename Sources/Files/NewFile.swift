// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Glibc

/// Writes files that must not exist yet.
///
/// Every call blocks on disk I/O: call it from a thread or executor that may block.
package enum NewFile {
    /// Writes `content` durably into a new file that only its owner may read. A partly written file is removed.
    ///
    /// - Throws: ``FileError``; with `EEXIST` if the file exists.
    package static func write(_ content: [UInt8], to path: String) throws(FileError) {
        let file = unsafe clinux_open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw FileError(.open, errno: -file, path: path) }
        do throws(FileError) {
            defer { _ = close(file) }
            try FileWriting.writeAll(content, to: file, path: path)
            guard fsync(file) == 0 else { throw FileError(.sync, errno: errno, path: path) }
        } catch {
            _ = unsafe unlink(path)
            throw error
        }
    }
}
