// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Crypto
internal import Files
internal import Glibc
internal import Synchronization

/// A file that is written piece by piece, with a digest of the content so far.
///
/// Every call blocks on the disk.
final class DigestedFile: Sendable {
    private let descriptor: Int32
    private let path: String
    private let digest = Mutex(SHA256())

    init(path: String) throws(FileError) {
        self.path = path
        descriptor = unsafe clinux_open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw FileError(.open, errno: -descriptor, path: path) }
    }

    deinit { if descriptor >= 0 { _ = close(descriptor) } }

    func append(_ piece: [UInt8]) throws(FileError) {
        try FileWriting.writeAll(piece, to: descriptor, path: path)
        digest.withLock { $0.update(data: piece) }
    }

    /// Flushes everything to disk.
    ///
    /// - Returns: the SHA-256 of the content.
    func finish() throws(FileError) -> [UInt8] {
        guard fsync(descriptor) == 0 else { throw FileError(.sync, errno: errno, path: path) }
        return digest.withLock { Array($0.finalize()) }
    }
}

extension Directory {
    /// Moves a flushed file into this folder as `name`, durably. An existing file is replaced.
    func adopt(_ draft: String, as name: String) throws(FileError) {
        guard unsafe rename(draft, path + "/" + name) == 0 else { throw FileError(.rename, errno: errno, path: draft) }
        try sync()
    }
}
