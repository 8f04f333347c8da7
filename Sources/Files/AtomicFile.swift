// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Glibc

/// A file that has either its old or its new content at any time, even after a power failure.
///
/// Every call blocks on disk I/O: call it from a thread or executor that may block.
package struct AtomicFile: Sendable {
    package let path: String
    private let directory: String

    package init(path: String) {
        self.path = path
        let parent = path.lastIndex(of: "/").map { String(path[..<$0]) }
        self.directory = parent.map { $0.isEmpty ? "/" : $0 } ?? "."
    }

    /// Returns the content, or nil if the file does not exist.
    ///
    /// - Parameter limit: the maximum number of bytes. A larger file is an error; the content is never truncated.
    /// - Throws: ``FileError`` for every failure except a missing file.
    package func read(limit: Int = 16 << 20) throws(FileError) -> [UInt8]? {
        let file = unsafe clinux_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0)
        if file == -ENOENT { return nil }
        guard file >= 0 else { throw FileError(.open, errno: -file, path: path) }
        defer { _ = close(file) }
        var content: [UInt8] = []
        // Most files are small: a page is enough for them.
        var chunk = [UInt8](repeating: 0, count: 4 << 10)
        while true {
            let count = unsafe Glibc.read(file, &chunk, chunk.count)
            if count == 0 { return content }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw FileError(.read, errno: errno, path: path)
            }
            guard content.count + count <= limit else { throw FileError(.tooLarge, errno: EFBIG, path: path) }
            content.append(contentsOf: chunk[..<count])
            if count == chunk.count, count < 64 << 10 { chunk = [UInt8](repeating: 0, count: 64 << 10) }
        }
    }

    /// Replaces the content: writes a draft file, syncs it, renames it, and syncs the directory.
    ///
    /// When this returns, the new content survives a power failure. When it throws, the file still has its old content,
    /// with one exception: if only the directory's fsync failed, the file may have its new content, which may not
    /// survive a power failure.
    package func replace(with content: [UInt8], mode: UInt32 = 0o600) throws(FileError) {
        let draft = path + ".new"
        let file = unsafe clinux_open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode)
        guard file >= 0 else { throw FileError(.open, errno: -file, path: draft) }
        do throws(FileError) {
            defer { _ = close(file) }
            // A draft left by an earlier crash may have another mode.
            guard fchmod(file, mode) == 0 else { throw FileError(.write, errno: errno, path: draft) }
            try FileWriting.writeAll(content, to: file, path: draft)
            guard fsync(file) == 0 else { throw FileError(.sync, errno: errno, path: draft) }
        } catch {
            _ = unsafe unlink(draft)
            throw error
        }
        guard unsafe rename(draft, path) == 0 else { throw FileError(.rename, errno: errno, path: path) }
        try Directory(path: directory).sync()
    }

    /// Renames the file within its file system. The caller must sync both directories. A missing file is not an error.
    package func move(to target: String) throws(FileError) {
        guard unsafe rename(path, target) != 0, errno != ENOENT else { return }
        throw FileError(.rename, errno: errno, path: path)
    }

    /// Removes the file durably.
    ///
    /// - Returns: whether the file existed.
    @discardableResult
    package func remove() throws(FileError) -> Bool {
        guard unsafe unlink(path) == 0 else {
            if errno == ENOENT { return false }
            throw FileError(.remove, errno: errno, path: path)
        }
        try Directory(path: directory).sync()
        return true
    }
}

/// Writes all bytes with repeated calls of write(2).
package enum FileWriting {
    package static func writeAll(_ content: [UInt8], to file: Int32, path: String) throws(FileError) {
        var offset = 0
        while offset < content.count {
            let count = unsafe content[offset...].withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
            guard count >= 0 else {
                if errno == EINTR { continue }
                throw FileError(.write, errno: errno, path: path)
            }
            offset += count
        }
    }
}
