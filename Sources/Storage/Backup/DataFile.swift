// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// An open file that is read and written at given byte offsets.
final class DataFile: Sendable {
    private let number: Int32
    let path: String

    private init(_ number: Int32, _ path: String) { (self.number, self.path) = (number, path) }

    deinit { close(number) }

    /// Opens an existing file for reading.
    ///
    /// - Throws: ``TransferError`` `file`
    convenience init(reading path: String) throws {
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard number >= 0 else { throw failure("\(path) cannot be opened") }
        self.init(number, path)
        var status = stat()
        guard unsafe fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw TransferError(.notABackup, "\(path) is not a file")
        }
    }

    /// Creates a file that only its owner may read (mode 0600). A file that an interrupted backup left behind is
    /// replaced.
    ///
    /// - Throws: ``TransferError`` `file`
    convenience init(creating path: String) throws {
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw failure("\(path) cannot be replaced") }
        let number = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard number >= 0 else { throw failure("\(path) cannot be created") }
        self.init(number, path)
    }

    /// Removes the file's name. The content exists until this object is released or the process ends.
    func removeName() throws {
        guard unsafe unlink(path) == 0 else { throw failure("\(path) cannot be removed") }
    }

    func length() throws -> Int {
        var status = stat()
        guard unsafe fstat(number, &status) == 0 else { throw failure("\(path) cannot be read") }
        return Int(status.st_size)
    }

    /// Returns up to `count` bytes from a byte offset; fewer only at the end of the file.
    func read(_ count: Int, at place: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let part = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe pread(number, buffer.baseAddress.map { unsafe $0 + done }, count - done, place + done)
            }
            if part == 0 { return Array(bytes[..<done]) }
            guard part > 0 || errno == EINTR else { throw failure("\(path) cannot be read") }
            done += max(part, 0)
        }
        return bytes
    }

    func write(_ bytes: [UInt8], at place: Int) throws {
        var done = 0
        while done < bytes.count {
            let part = unsafe bytes.withUnsafeBytes { buffer in
                unsafe pwrite(number, buffer.baseAddress.map { unsafe $0 + done }, bytes.count - done, place + done)
            }
            guard part > 0 || (part < 0 && errno == EINTR) else { throw failure("\(path) cannot be written") }
            done += max(part, 0)
        }
    }

    /// Syncs the content, gives the file its final name, and syncs the folder. No file may have that name yet.
    func publish(as target: String) throws {
        guard fsync(number) == 0 else { throw failure("\(path) cannot be written") }
        // `link` never replaces an existing file.
        guard unsafe link(path, target) == 0 else {
            guard errno == EEXIST else { throw failure("\(target) cannot be created") }
            throw TransferError(.fileExists, "\(target) exists already")
        }
        try removeName()
        let folder = unsafe open(Self.folder(of: target), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw failure("\(target) cannot be synced") }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw failure("\(target) cannot be synced") }
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

/// Looks up who owns a file.
package enum FileOwner {
    /// Returns the user id of a file's owner; nil if there is no such file.
    package static func user(of path: String) -> UInt32? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status.st_uid : nil
    }
}

/// The error of the last file operation, with the kernel's reason.
private func failure(_ message: String) -> TransferError {
    let number = errno
    return TransferError(.file, "\(message): \(unsafe String(cString: strerror(number)))")
}
