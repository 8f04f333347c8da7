// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Glibc
package import UnixSocket

/// A folder of the device's state.
///
/// Every call blocks on the disk: call it from a thread or executor that may block.
package struct Directory: Sendable {
    package let path: String

    package init(path: String) { self.path = path }

    /// The folder `name` inside this one.
    package func appending(_ name: String) -> Directory { Directory(path: path + "/" + name) }

    /// The file `name` inside this folder.
    package func file(_ name: String) -> AtomicFile { AtomicFile(path: path + "/" + name) }

    /// Makes the folder where it is missing, durably and with exactly this mode, whatever the process's umask; folders
    /// above it that are missing, too, can be entered by everybody.
    package func make(mode: UInt32 = 0o700) throws(FileError) {
        if try makeInParent(mode) { return }
        if parent != path { try Directory(path: parent).make(mode: 0o755) }
        guard try makeInParent(mode) else { throw FileError(.makeDirectory, errno: ENOENT, path: path) }
    }

    /// Makes the folder where there is a folder above it.
    ///
    /// - Returns: false where there is none.
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

    /// Makes the folder where it is missing, and makes sure that it is this user's alone.
    ///
    /// - Throws: ``FileError`` with `EPERM` where it is somebody else's, or others may look into it; `ENOTDIR` or `ELOOP`
    ///   where it is something else.
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

    /// Writes the folder's entries to the disk, so that a rename or removal in it survives a power failure.
    package func sync() throws(FileError) {
        let file = unsafe clinux_open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        guard file >= 0 else { throw FileError(.open, errno: -file, path: path) }
        defer { _ = close(file) }
        guard fsync(file) == 0 else { throw FileError(.sync, errno: errno, path: path) }
    }

    /// Takes the folder for this process alone, until the descriptor goes.
    ///
    /// - Throws: ``FileError`` with `EWOULDBLOCK` where another process has it.
    package func lock() throws(FileError) -> Descriptor {
        let number = unsafe clinux_open(path, O_RDONLY | O_DIRECTORY, 0)
        guard number >= 0 else { throw FileError(.open, errno: -number, path: path) }
        let folder = Descriptor(owning: number)
        let outcome = folder.withNumber { clinux_lock($0) }
        guard outcome == 0 else { throw FileError(.lock, errno: -outcome, path: path) }
        return folder
    }

    /// The path without links and detours.
    ///
    /// - Throws: ``FileError`` when there is no such folder.
    package func realPath() throws(FileError) -> String {
        guard let resolved = unsafe realpath(path, nil) else { throw FileError(.open, errno: errno, path: path) }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// The names in the folder, sorted; empty where there is no such folder.
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

    /// Removes the folder with everything in it, durably: however deep, and whatever the modes of its folders are.
    ///
    /// It follows no link and enters no mount. Where something cannot be removed, everything else is gone.
    ///
    /// - Returns: whether there was one.
    /// - Throws: ``FileError`` where something stays; with `EBUSY` where something is mounted below.
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
