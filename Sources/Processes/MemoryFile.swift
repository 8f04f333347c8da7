// SPDX-License-Identifier: Apache-2.0
internal import CLinux
package import Files
internal import Glibc
package import UnixSocket

/// A nameless file in memory. It disappears when its last descriptor is closed.
package struct MemoryFile: Sendable {
    /// The descriptor, positioned at the beginning of the file.
    package let descriptor: Descriptor

    /// The file of a descriptor from this program's former start.
    init(_ descriptor: Descriptor) { self.descriptor = descriptor }

    /// - Throws: ``FileError`` if the process has no descriptor left, or the machine has no memory left.
    package init(holding bytes: [UInt8] = []) throws(FileError) {
        let number = unsafe clinux_memory_file("baton")
        guard number >= 0 else { throw FileError(.open, errno: -number, path: "a file in memory") }
        descriptor = Descriptor(owning: number)
        // pwrite keeps the offset, so that a process that inherits the file reads it from the beginning.
        guard unsafe pwrite(number, bytes, bytes.count, 0) == bytes.count else {
            throw FileError(.write, errno: errno, path: "a file in memory")
        }
    }

    /// Makes a file of this size, filled with zeros. Nobody can change its size.
    ///
    /// - Throws: ``FileError`` if the process has no descriptor left, or the machine has no memory left.
    package init(size: Int) throws(FileError) {
        try self.init(holding: [UInt8](repeating: 0, count: size))
        let outcome = descriptor.withNumber { clinux_seal_size($0) }
        guard outcome == 0 else { throw FileError(.write, errno: -outcome, path: "a file in memory") }
    }

    /// Makes sure that no process can change the content any more.
    ///
    /// - Throws: ``FileError``, for example if a process still has the file mapped for writing.
    package func seal() throws(FileError) {
        let outcome = descriptor.withNumber { clinux_seal($0) }
        guard outcome == 0 else { throw FileError(.write, errno: -outcome, path: "a file in memory") }
    }

    /// Opens the file once more, for reading only and from its beginning.
    ///
    /// - Throws: ``FileError`` if the process has no descriptor left.
    package func reader() throws(FileError) -> Descriptor {
        let number = descriptor.withNumber { unsafe open("/proc/self/fd/\($0)", O_RDONLY | O_CLOEXEC) }
        guard number >= 0 else { throw FileError(.open, errno: errno, path: "a file in memory") }
        return Descriptor(owning: number)
    }

    /// Returns the content, whichever process wrote it.
    ///
    /// - Throws: ``FileError``, for example if the content has more than `limit` bytes.
    package func content(limit: Int = 64 << 20) throws(FileError) -> [UInt8] {
        var (content, offset) = ([UInt8](), 0)
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = descriptor.withNumber { unsafe pread($0, &piece, piece.count, offset) }
            guard count >= 0 else { throw FileError(.read, errno: errno, path: "a file in memory") }
            if count == 0 { return content }
            content += piece[..<count]
            offset += count
            guard offset <= limit else { throw FileError(.read, errno: EFBIG, path: "a file in memory") }
        }
    }
}
