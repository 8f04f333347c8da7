// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Glibc
package import UnixSocket

/// A directory that contains state of the device.
///
/// Every call blocks on disk I/O: call it from a thread or executor that may block.
package struct Directory: Sendable {
    package let path: String

    package init(path: String) { self.path = path }

    /// Returns the directory `name` inside this directory.
    package func appending(_ name: String) -> Directory { Directory(path: path + "/" + name) }

    /// Returns the file `name` inside this directory.
    package func file(_ name: String) -> AtomicFile { AtomicFile(path: path + "/" + name) }

    /// Creates the directory durably if it is missing, with exactly this mode regardless of the umask. Missing parent
    /// directories are created with mode 0755.
    package func make(mode: UInt32 = 0o700) throws(FileError) {
        if try makeInParent(mode) { return }
        if parent != path { try Directory(path: parent).make(mode: 0o755) }
        guard try makeInParent(mode) else { throw FileError(.makeDirectory, errno: ENOENT, path: path) }
    }

    /// Creates the directory if its parent exists.
    ///
    /// - Returns: false if the parent is missing.
    private func makeInParent(_ mode: UInt32) throws(FileError) -> Bool {
        if unsafe mkdir(path, mode & 0o700) == 0 {
            guard unsafe chmod(path, mode) == 0 else { throw FileError(.makeDirectory, errno: errno, path: path) }
            try Directory(path: parent).sync()
            return true
        }
        switch errno {
        case EEXIST: return true
        case ENOENT: return false
        default: throw FileError(.makeDirectory, errno: errno, path: path)
        }
    }

    /// Creates the directory if it is missing, and checks that it is private to this user.
    ///
    /// - Throws: ``FileError`` with `EPERM` if it belongs to another user or others have access; `ENOTDIR` or `ELOOP`
    ///   if it is not a directory.
    package func makePrivate() throws(FileError) {
        try make(mode: 0o700)
        let number = unsafe clinux_open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0)
        guard number >= 0 else { throw FileError(.open, errno: -number, path: path) }
        defer { _ = close(number) }
        var status = stat()
        guard unsafe fstat(number, &status) == 0 else { throw FileError(.open, errno: errno, path: path) }
        guard status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
            throw FileError(.makeDirectory, errno: EPERM, path: path)
        }
    }

    /// Syncs the directory's entries to disk, so that a rename or removal in it survives a power failure.
    package func sync() throws(FileError) {
        let file = unsafe clinux_open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        guard file >= 0 else { throw FileError(.open, errno: -file, path: path) }
        defer { _ = close(file) }
        guard fsync(file) == 0 else { throw FileError(.sync, errno: errno, path: path) }
    }

    /// Locks the directory for this process until the returned descriptor is closed.
    ///
    /// - Throws: ``FileError`` with `EWOULDBLOCK` if another process holds the lock.
    package func lock() throws(FileError) -> Descriptor {
        let number = unsafe clinux_open(path, O_RDONLY | O_DIRECTORY, 0)
        guard number >= 0 else { throw FileError(.open, errno: -number, path: path) }
        let folder = Descriptor(owning: number)
        let outcome = folder.withNumber { clinux_lock($0) }
        guard outcome == 0 else { throw FileError(.lock, errno: -outcome, path: path) }
        return folder
    }

    /// Returns the absolute path with all symbolic links resolved.
    ///
    /// - Throws: ``FileError`` if the directory does not exist.
    package func realPath() throws(FileError) -> String {
        guard let resolved = unsafe realpath(path, nil) else { throw FileError(.open, errno: errno, path: path) }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// Returns the names in the directory, sorted; empty if the directory does not exist.
    package func names() throws(FileError) -> [String] {
        guard let stream = unsafe opendir(path) else {
            if errno == ENOENT { return [] }
            throw FileError(.open, errno: errno, path: path)
        }
        defer { _ = unsafe closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = unsafe readdir(stream) else {
                guard errno == 0 else { throw FileError(.read, errno: errno, path: path) }
                return names.sorted()
            }
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
    }

    /// Removes the directory and everything in it durably, at any depth and whatever the modes of its subdirectories.
    ///
    /// Follows no symbolic link and enters no mount. If something cannot be removed, everything else is removed
    /// nevertheless.
    ///
    /// - Returns: whether the directory existed.
    /// - Throws: ``FileError`` if something could not be removed; with `EBUSY` if something is mounted below.
    @discardableResult
    package func removeTree() throws(FileError) -> Bool {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            if errno == ENOENT { return false }
            throw FileError(.remove, errno: errno, path: path)
        }
        let outcome = unsafe clinux_remove_tree(path)
        guard outcome == 0 else { throw FileError(.remove, errno: -outcome, path: path) }
        try Directory(path: parent).sync()
        return true
    }

    private var parent: String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
