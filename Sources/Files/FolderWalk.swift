// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Glibc

/// Visits everything below folders, without following a symbolic link or entering another file system.
///
/// Every call blocks on disk I/O: call it from a thread or executor that may block.
package struct FolderWalk {
    /// A file or folder, as statx(2) describes it.
    package struct Entry {
        /// The absolute path, in printable form (`String(printableName:)`).
        package let path: String
        package let owner: UInt32
        package let isFolder: Bool
        /// Whether every user may create files here.
        package let isForEveryUser: Bool
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

    /// A folder as it was when its names were read.
    private struct Listing {
        let inode: UInt64
        let changed: Instant
        /// When the reading of its names began.
        let read: Instant
        /// The names of the folders in it that were entered.
        var folders: [[UInt8]] = []

        /// Whether the folder has certainly not changed since its names were read.
        func isStill(_ folder: Entry, at now: Instant) -> Bool {
            guard folder.inode == inode, Instant(folder.changed) == changed else { return false }
            // A change shortly after the last one may have the same time. If the last change has a time in the future,
            // because the clock was set back, any later change would have an earlier time.
            return changed.nanoseconds + precision < read.nanoseconds || changed.nanoseconds > now.nanoseconds
        }

        /// The maximum number of nanoseconds between two changes that have the same time. Some file systems store times
        /// in steps of two seconds.
        private var precision: Int { changed.nanoseconds % 1_000_000_000 == 0 ? 2_000_000_000 : 10_000_000 }
    }

    private let limits: Limits
    private let mountPoints: Set<String>
    private let isWatched: ((Entry) -> Bool)?
    private var listings: [String: Listing] = [:]
    private var isRepeated = false
    private var visited = 0
    private var isStopped = false
    /// Whether a watched folder was new or changed in the walks since ``again()``.
    package private(set) var hasChanged = false

    /// Makes a walk that visits nothing beyond `limits`.
    ///
    /// - Parameters:
    ///   - mountPoints: folders that are neither visited nor touched, because another file system is mounted there; absolute
    ///     paths in printable form.
    ///   - isWatched: whether files may appear in a folder during the walk. Nil if the walk is never repeated
    ///     (``again()``).
    package init(limits: Limits, mountPoints: Set<String> = [], isWatched: ((Entry) -> Bool)? = nil) {
        self.limits = limits
        self.mountPoints = mountPoints
        self.isWatched = isWatched
    }

    /// Makes the walks start over. In new folders, and in watched folders that may have changed after their names were
    /// read, the repeated walks visit everything. In all other folders, they only enter the same subfolders as before.
    ///
    /// If every walk was repeated and no watched folder has changed, there was a moment at which all folders had the
    /// content that was visited.
    package mutating func again() { (isRepeated, hasChanged, visited) = (true, false, 0) }

    /// Describes a folder; nil if there is none.
    ///
    /// - Throws: ``FileError``.
    package static func folder(_ path: String) throws(FileError) -> Entry? {
        var status = clinux_status()
        let outcome = unsafe clinux_status(AT_FDCWD, path, &status)
        if outcome == -ENOENT { return nil }
        guard outcome == 0 else { throw FileError(.open, errno: -outcome, path: path) }
        return Entry(path, status)
    }

    /// Visits everything below a folder, but not the folder itself. A folder that does not exist has no entries. A
    /// folder whose printable path differs from its real path cannot be opened, and counts as unread. After a walk that
    /// stopped early, further walks visit nothing.
    ///
    /// - Parameters:
    ///   - visit: called for each entry; a folder comes before its content.
    ///   - unread: called with the path and the number of the error (errno(3)) of everything that could not be read;
    ///     with `EFBIG` if a limit was reached, and with `EXDEV` for a mount point that the walk was not told about. A
    ///     file that disappears meanwhile is not reported.
    package mutating func walk(
        _ path: String, visit: (Entry) -> Step, unread: (String, Int32) -> Void
    ) {
        guard !isStopped else { return unread(path, EFBIG) }
        let number = unsafe clinux_open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0)
        // A path with a backslash may be the printable form of a different path, so a missing file proves nothing.
        if number == -ENOENT, !path.contains("\\") { return }
        guard number >= 0 else { return unread(path, -number) }
        walk(number, path: path == "/" ? "" : path, depth: 0, visit: visit, unread: unread)
    }

    /// Walks an open folder; takes over its descriptor.
    private mutating func walk(
        _ number: Int32, path: String, depth: Int, visit: (Entry) -> Step, unread: (String, Int32) -> Void
    ) {
        guard let isWatched else { return list(number, path: path, depth: depth, visit: visit, unread: unread) }
        let time = Instant.now()
        var status = clinux_status()
        let outcome = unsafe clinux_status(number, "", &status)
        guard outcome == 0 else {
            _ = close(number)
            return unread(path, -outcome)
        }
        let folder = Entry(path, status)
        if let known = listings[path], known.isStill(folder, at: time) || !isWatched(folder) {
            defer { _ = close(number) }
            for name in known.folders where !isStopped {
                enter(name, in: number, path: path, depth: depth, visit: visit, unread: unread)
            }
        } else {
            if isRepeated, isWatched(folder) { hasChanged = true }
            listings[path] = Listing(inode: folder.inode, changed: Instant(folder.changed), read: time)
            list(number, path: path, depth: depth, visit: visit, unread: unread)
        }
    }

    /// Reads the names in an open folder; takes over its descriptor.
    private mutating func list(
        _ number: Int32, path: String, depth: Int, visit: (Entry) -> Step, unread: (String, Int32) -> Void
    ) {
        guard let stream = unsafe fdopendir(number) else {
            let reason = errno
            _ = close(number)
            return unread(path, reason)
        }
        defer { _ = unsafe closedir(stream) }
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
            enter(name, in: number, path: path, depth: depth, isListing: true, visit: visit, unread: unread)
        }
    }

    private mutating func enter(
        _ name: [UInt8], in folder: Int32, path: String, depth: Int, isListing: Bool = false, visit: (Entry) -> Step,
        unread: (String, Int32) -> Void
    ) {
        let place = path + "/" + String(printableName: name)
        guard !mountPoints.contains(place) else { return }
        let text = name.map(CChar.init(bitPattern:)) + [0]
        var status = clinux_status()
        let outcome = unsafe clinux_status(folder, text, &status)
        guard outcome == 0 else {
            if outcome != -ENOENT { unread(place, -outcome) }
            return
        }
        let entry = Entry(place, status)
        guard !entry.isFolder || status.is_mount == 0 else { return unread(place, EXDEV) }
        switch visit(entry) {
        case .stop: isStopped = true
        case .past: break
        case .into where entry.isFolder:
            guard depth < limits.depth else { return unread(place, EFBIG) }
            let inner = unsafe openat(folder, text, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard inner >= 0 else {
                if errno != ENOENT { unread(place, errno) }
                return
            }
            if isListing { listings[path]?.folders.append(name) }
            walk(inner, path: place, depth: depth + 1, visit: visit, unread: unread)
        case .into: break
        }
    }
}

extension FolderWalk.Entry {
    fileprivate init(_ path: String, _ status: clinux_status) {
        self.path = path
        owner = status.owner
        isFolder = status.mode & S_IFMT == S_IFDIR
        isForEveryUser = status.mode & S_IFMT == S_IFDIR && status.mode & S_IWOTH != 0
        (inode, size) = (status.inode, status.size)
        changed = (Int(status.changed_seconds), Int(status.changed_nanoseconds))
    }
}

/// A time in nanoseconds since 1970, by the clock with which file systems date changes (inode(7)).
private struct Instant: Equatable {
    let nanoseconds: Int

    init(_ time: (seconds: Int, nanoseconds: Int)) { nanoseconds = time.seconds * 1_000_000_000 + time.nanoseconds }

    static func now() -> Instant {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME_COARSE, &time)
        return Instant((time.tv_sec, time.tv_nsec))
    }
}
