// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Glibc

/// Visits everything below folders, without following a symbolic link or entering another file system.
///
/// Every call blocks on disk I/O: call it from a thread or executor that may block.
package struct FolderWalk {
    /// A file or folder, as fstatat(2) describes it.
    package struct Entry {
        /// The absolute path, in printable form (`String(printableName:)`).
        package let path: String
        package let owner: UInt32
        package let isFolder: Bool
        package let inode: UInt64
        /// The size in bytes.
        package let size: Int64
        /// The last change of content or attributes, in seconds and nanoseconds since 1970.
        package let changed: (seconds: Int, nanoseconds: Int)
    }

    /// What to do after an entry was visited.
    package enum Step { case into, past, stop }

    /// The maximum number of entries that all walks together visit, and the maximum depth of each walk.
    package struct Limits: Sendable {
        package var entries: Int
        package var depth: Int

        package init(entries: Int, depth: Int = 64) { (self.entries, self.depth) = (entries, depth) }
    }

    private let limits: Limits
    private let mountPoints: Set<String>?
    private var visited = 0
    private var isStopped = false

    /// Makes a walk that visits nothing beyond `limits`.
    ///
    /// - Parameter mountPoints: the folders that are not entered; nil means every folder on a different device. The
    ///   difference matters for subvolumes of a file system, which have devices of their own without being mounted.
    package init(limits: Limits, mountPoints: Set<String>? = nil) {
        self.limits = limits
        self.mountPoints = mountPoints
    }

    /// Visits everything below a folder, but not the folder itself. A folder that does not exist has no entries.
    ///
    /// - Parameters:
    ///   - visit: called for each entry; a folder comes before its content.
    ///   - unread: called with the path and the number of the error (errno(3)) of everything that could not be read;
    ///     with `EFBIG` if a limit was reached. A file that disappears meanwhile is not reported.
    package mutating func walk(
        _ path: String, visit: (Entry) -> Step, unread: (String, Int32) -> Void
    ) {
        let number = unsafe clinux_open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0)
        if number == -ENOENT { return }
        guard number >= 0 else { return unread(path, -number) }
        walk(number, path: path == "/" ? "" : path, device: nil, depth: 0, visit: visit, unread: unread)
    }

    /// Walks an open folder; takes over its descriptor.
    private mutating func walk(
        _ number: Int32, path: String, device: UInt?, depth: Int, visit: (Entry) -> Step,
        unread: (String, Int32) -> Void
    ) {
        guard let stream = unsafe fdopendir(number) else {
            let reason = errno
            _ = close(number)
            return unread(path, reason)
        }
        defer { _ = unsafe closedir(stream) }
        var own = stat()
        guard unsafe fstat(number, &own) == 0 else { return unread(path, errno) }
        guard device == nil || own.st_dev == device || mountPoints != nil else { return }
        while !isStopped {
            errno = 0
            guard let entry = unsafe readdir(stream) else {
                if errno != 0 { unread(path, errno) }
                return
            }
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: UInt8.self, capacity: 256) { bytes in
                    unsafe Array(UnsafeBufferPointer(start: bytes, count: strnlen(bytes, 255)))
                }
            }
            if name == [UInt8(ascii: ".")] || name == [UInt8(ascii: "."), UInt8(ascii: ".")] { continue }
            visited += 1
            guard visited <= limits.entries else {
                isStopped = true
                return unread(path, EFBIG)
            }
            enter(name, in: number, path: path, device: own.st_dev, depth: depth, visit: visit, unread: unread)
        }
    }

    private mutating func enter(
        _ name: [UInt8], in folder: Int32, path: String, device: UInt, depth: Int, visit: (Entry) -> Step,
        unread: (String, Int32) -> Void
    ) {
        let place = path + "/" + String(printableName: name)
        let name = name.map(CChar.init(bitPattern:)) + [0]
        var status = stat()
        guard unsafe fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno != ENOENT { unread(place, errno) }
            return
        }
        let isFolder = status.st_mode & S_IFMT == S_IFDIR
        // Only folders are compared: in an overlay, files have the devices of the layers below.
        let isMountPoint = mountPoints.map { $0.contains(place) } ?? (status.st_dev != device)
        guard !isFolder || !isMountPoint else { return }
        let entry = Entry(
            path: place, owner: status.st_uid, isFolder: isFolder,
            inode: UInt64(status.st_ino), size: Int64(status.st_size),
            changed: (status.st_ctim.tv_sec, status.st_ctim.tv_nsec))
        switch visit(entry) {
        case .stop: isStopped = true
        case .past: break
        case .into where isFolder:
            guard depth < limits.depth else { return unread(place, EFBIG) }
            let inner = unsafe openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard inner >= 0 else {
                if errno != ENOENT { unread(place, errno) }
                return
            }
            walk(inner, path: place, device: device, depth: depth + 1, visit: visit, unread: unread)
        case .into: break
        }
    }
}
