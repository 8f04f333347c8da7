// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Glibc

/// A file that only its owner, this user, may read and write.
///
/// Every call blocks on disk I/O: call it from a thread or executor that may block.
package struct PrivateFile: Sendable {
    package let path: String

    package init(path: String) { self.path = path }

    /// Returns the content, or nil if the file does not exist. The file is checked and read through one descriptor, so
    /// another file cannot take its place in between.
    ///
    /// - Parameter limit: the maximum number of bytes. A larger file is an error; the content is never truncated.
    /// - Throws: ``FileError``; with `EPERM` if another user owns the file, if others may access it, or if it has a
    ///   second name; with `EACCES` if users other than this one and root may replace files in the folder; with `ELOOP`
    ///   if it is a symbolic link; with `EINVAL` if it is not a regular file.
    package func read(limit: Int) throws(FileError) -> [UInt8]? {
        guard let (file, size) = try opened() else { return nil }
        defer { _ = close(file) }
        guard size <= limit else { throw FileError(.tooLarge, errno: EFBIG, path: path) }
        // One byte more than the limit shows that the file has grown.
        var content = [UInt8](repeating: 0, count: limit + 1)
        var length = 0
        while length <= limit {
            let count = unsafe content[length...].withUnsafeMutableBytes {
                unsafe Glibc.read(file, $0.baseAddress, $0.count)
            }
            if count == 0 { break }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw FileError(.read, errno: errno, path: path)
            }
            length += count
        }
        guard length <= limit else { throw FileError(.tooLarge, errno: EFBIG, path: path) }
        content.removeLast(content.count - length)
        return content
    }

    /// Replaces the content, as ``AtomicFile/replace(with:mode:)`` does. An existing file is checked first.
    ///
    /// - Throws: ``FileError``, as ``checkReplaceable()``.
    package func replace(with content: [UInt8]) throws(FileError) {
        try checkReplaceable()
        try AtomicFile(path: path).replace(with: content, mode: 0o600)
    }

    /// Checks that ``replace(with:)`` can be expected to succeed. Neither reads the file nor changes anything.
    ///
    /// - Throws: ``FileError``, as ``read(limit:)`` for a file of any size, or if this user may not create files in the folder.
    package func checkReplaceable() throws(FileError) {
        try checkFolder()
        if let (file, _) = try opened() { _ = close(file) }
        guard unsafe access(folder, W_OK | X_OK) == 0 else { throw FileError(.open, errno: errno, path: folder) }
    }

    /// Opens the file and checks it; returns nil if it does not exist.
    private func opened() throws(FileError) -> (file: Int32, size: Int)? {
        // Opening a named pipe would otherwise wait for a writer.
        let file = unsafe clinux_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0)
        if file == -ENOENT { return nil }
        guard file >= 0 else { throw FileError(.open, errno: -file, path: path) }
        do throws(FileError) { return (file, try checkedSize(of: file)) } catch {
            _ = close(file)
            throw error
        }
    }

    /// Checks an open file and its folder, and returns its size.
    private func checkedSize(of file: Int32) throws(FileError) -> Int {
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else { throw FileError(.open, errno: errno, path: path) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw FileError(.open, errno: EINVAL, path: path) }
        guard status.st_uid == geteuid(), status.st_mode & 0o077 == 0, status.st_nlink == 1 else {
            throw FileError(.open, errno: EPERM, path: path)
        }
        try checkFolder()
        return status.st_size
    }

    private var folder: String {
        let parent = path.lastIndex(of: "/").map { String(path[..<$0]) }
        return parent.map { $0.isEmpty ? "/" : $0 } ?? "."
    }

    /// Checks that nobody else can put another file in the place of this one.
    private func checkFolder() throws(FileError) {
        var status = stat()
        guard unsafe stat(folder, &status) == 0 else { throw FileError(.open, errno: errno, path: folder) }
        guard status.st_uid == geteuid() || status.st_uid == 0, status.st_mode & 0o022 == 0 else {
            throw FileError(.write, errno: EACCES, path: path)
        }
    }
}
