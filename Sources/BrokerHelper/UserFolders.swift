// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Glibc
internal import UnixSocket

/// Looks for what a user has left in home and temporary folders, without following a link or entering another file system.
struct UserFolders {
    /// What was found, as absolute paths; not complete if a limit was met or a folder could not be read.
    struct Findings: Equatable {
        var files: [String] = []
        var isComplete = true
    }

    /// The most that one look visits, lists, and goes down.
    struct Limits {
        var entries = 200_000
        var files = 512
        var bytes = 128 << 10
        var depth = 64
    }

    /// Folders where every user may leave something, beside the user's home and runtime folder.
    static let shared = ["/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue"]

    let user: UInt32
    /// Seconds since 1970: what was changed before is not listed.
    let since: Int
    var limits = Limits()
    private(set) var findings = Findings()
    private var visited = 0
    private var bytes = 0

    init(user: UInt32, since: Int, limits: Limits = Limits()) {
        (self.user, self.since, self.limits) = (user, since, limits)
    }

    /// Looks into these folders; one that is not there holds nothing.
    mutating func look(into folders: [String]) {
        for path in folders {
            let number = unsafe clinux_open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0)
            if number == -ENOENT { continue }
            guard number >= 0 else {
                findings.isComplete = false
                continue
            }
            look(into: number, path: path, device: nil, depth: 0)
        }
    }

    /// Takes over the folder's descriptor.
    private mutating func look(into number: Int32, path: String, device: UInt?, depth: Int) {
        guard let stream = unsafe fdopendir(number) else {
            _ = close(number)
            return findings.isComplete = false
        }
        defer { _ = unsafe closedir(stream) }
        var own = stat()
        guard unsafe fstat(number, &own) == 0, device == nil || own.st_dev == device else { return }
        while true {
            errno = 0
            guard let entry = unsafe readdir(stream) else {
                if errno != 0 { findings.isComplete = false }
                return
            }
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name == "." || name == ".." { continue }
            visited += 1
            guard visited <= limits.entries else { return findings.isComplete = false }
            visit(name, in: number, path: path, device: own.st_dev, depth: depth)
        }
    }

    private mutating func visit(_ name: String, in folder: Int32, path: String, device: UInt, depth: Int) {
        var status = stat()
        guard unsafe fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno != ENOENT { findings.isComplete = false }
            return
        }
        let place = path + "/" + name
        if status.st_uid == user, max(status.st_ctim.tv_sec, status.st_mtim.tv_sec) >= since { list(place) }
        guard status.st_mode & S_IFMT == S_IFDIR, status.st_dev == device else { return }
        guard depth < limits.depth else { return findings.isComplete = false }
        let inner = unsafe openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard inner >= 0 else {
            if errno != ENOENT { findings.isComplete = false }
            return
        }
        look(into: inner, path: place, device: device, depth: depth + 1)
    }

    private mutating func list(_ path: String) {
        guard findings.files.count < limits.files, bytes + path.utf8.count <= limits.bytes else {
            return findings.isComplete = false
        }
        bytes += path.utf8.count
        findings.files.append(path)
    }
}
