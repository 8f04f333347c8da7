// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import CLinux
internal import Files
internal import Glibc
internal import Processes
internal import UnixSocket

/// The control groups of sessions (cgroups(7), version 2): one for each epoch, below the helper's own group.
///
/// A session user's process cannot leave its group, and everything that it starts is in the group, even if detached.
/// The group therefore contains every process of the session.
struct SessionGroups {
    /// The helper's own group.
    let root: Directory

    private static let prefix = "session-"
    /// The time limit for killing a group, in milliseconds. Only a process inside a broken driver takes longer.
    private static let patience: Int32 = 10_000

    init(root: Directory) { self.root = root }

    /// Finds the helper's own group.
    ///
    /// - Returns: nil if this system has no control groups of version 2, or does not show this process its own group.
    /// - Throws: ``HelperRefusal`` if `/proc` cannot be read.
    static func find() throws(HelperRefusal) -> SessionGroups? {
        let mounts: MountTable
        let own: [UInt8]
        do throws(FileError) {
            mounts = try MountTable.read()
            own = try AtomicFile(path: "/proc/self/cgroup").read() ?? []
        } catch { throw HelperRefusal(.groupsUnavailable, "\(error). Mount /proc.") }
        return path(mounts: mounts, membership: String(decoding: own, as: UTF8.self)).map {
            SessionGroups(root: Directory(path: $0))
        }
    }

    /// Returns the path of a process's group; nil if there is no mount of version 2, or if the group is not below that
    /// mount.
    ///
    /// - Parameter membership: the text of the process's `/proc/<pid>/cgroup`; the line of version 2 begins with `0::`.
    static func path(mounts: MountTable, membership: String) -> String? {
        guard let mount = mounts.mounts.first(where: { $0.type == "cgroup2" }),
            let line = membership.split(separator: "\n").first(where: { $0.hasPrefix("0::/") })
        else { return nil }
        let path = line.dropFirst("0::".count)
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard !parts.contains("..") else { return nil }
        if mount.root == "/" { return path == "/" ? mount.path : mount.path + path }
        // In a container, the mount shows only a part of the tree.
        guard path == mount.root || path.hasPrefix(mount.root + "/") else { return nil }
        return mount.path + path.dropFirst(mount.root.count)
    }

    /// The epochs that have a group.
    func epochs() throws(HelperRefusal) -> [Epoch.ID] {
        do throws(FileError) {
            return try root.names().compactMap { name in
                name.hasPrefix(Self.prefix) ? Epoch.ID(String(name.dropFirst(Self.prefix.count))) : nil
            }
        } catch { throw Self.unavailable("\(error)") }
    }

    /// Puts a process into the epoch's group, which is created if it is missing.
    ///
    /// The caller passes a pidfd, but the kernel accepts only a process id. If the process is still alive afterwards,
    /// the id belonged to it the whole time. If the process has ended, another process may have the id now, and may
    /// have been put into the epoch's group. That other process is then moved back to the group that the process with
    /// this id was in before.
    ///
    /// - Throws: ``HelperRefusal``.
    func add(_ pidfd: Descriptor, to epoch: Epoch.ID, of user: SystemUser) throws(HelperRefusal) {
        guard let pid = Self.number(of: pidfd), Self.isAlive(pidfd) else { throw Self.processMissing }
        guard let identity = Self.identity(of: pid) else { throw Self.processMissing }
        guard identity.users.allSatisfy({ $0 == user.number }) else {
            throw HelperRefusal(
                .processNotAllowed, "The process does not belong to user \(user.number). Send one that does.")
        }
        let present = try epochs()
        guard present.contains(epoch) || present.count < SessionStorage.maximum else {
            throw HelperRefusal(
                .tooManySessions,
                "Control groups of former sessions are still there. Kill the processes in them first.")
        }
        let group = self.group(epoch)
        guard unsafe mkdir(group.path, 0o755) == 0 || errno == EEXIST else {
            throw Self.unavailable("mkdir: \(reason(errno))")
        }
        try Self.write("\(pid)", to: group.path + "/cgroup.procs")
        guard Self.isAlive(pidfd) else {
            if let former = identity.group { try? Self.write("\(pid)", to: former + "/cgroup.procs") }
            throw Self.processMissing
        }
    }

    /// Kills every process of the group, waits until each has ended, and removes the group. Does nothing if there is no
    /// group.
    ///
    /// No process escapes by starting another process: `cgroup.kill` also kills processes that are started meanwhile.
    ///
    /// - Throws: ``HelperRefusal``, with `processes_remain` if a process does not end.
    func kill(_ epoch: Epoch.ID) throws(HelperRefusal) {
        guard try epochs().contains(epoch) else { return }
        try Self.write("1", to: group(epoch).path + "/cgroup.kill")
        try awaitEnd(of: epoch)
        guard unsafe rmdir(group(epoch).path) == 0 || errno == ENOENT else {
            throw Self.unavailable("rmdir: \(reason(errno))")
        }
    }

    private func group(_ epoch: Epoch.ID) -> Directory { root.appending(Self.prefix + "\(epoch)") }

    /// Waits until the group's `cgroup.events` shows that the group has no process. The kernel signals each change of
    /// the file (`POLLPRI`).
    private func awaitEnd(of epoch: Epoch.ID) throws(HelperRefusal) {
        let path = group(epoch).path + "/cgroup.events"
        let number = unsafe clinux_open(path, O_RDONLY | O_CLOEXEC, 0)
        guard number >= 0 else { throw Self.unavailable("open: \(reason(-number))") }
        let events = Descriptor(owning: number)
        let deadline = ContinuousClock.now + .milliseconds(Int(Self.patience))
        while true {
            var text = [UInt8](repeating: 0, count: 256)
            let count = events.withNumber { unsafe pread($0, &text, text.count, 0) }
            guard count >= 0 else { throw Self.unavailable("read: \(reason(errno))") }
            if String(decoding: text.prefix(count), as: UTF8.self).split(separator: "\n").contains("populated 0") {
                return
            }
            let rest = ContinuousClock.now.duration(to: deadline) / .milliseconds(1)
            guard rest > 0 else {
                throw HelperRefusal(
                    .processesRemain,
                    "A process of the session does not stop. The kernel's log says which device holds it.")
            }
            _ = events.withNumber { number in
                var question = pollfd(fd: number, events: Int16(POLLPRI), revents: 0)
                return unsafe poll(&question, 1, Int32(rest) + 1)
            }
        }
    }

    private static func write(_ text: String, to path: String) throws(HelperRefusal) {
        let number = unsafe clinux_open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0)
        guard number >= 0 else { throw unavailable("open \(path): \(reason(-number))") }
        defer { _ = close(number) }
        do throws(FileError) { try FileWriting.writeAll(Array(text.utf8), to: number, path: path) } catch {
            guard error.errno == ESRCH else { throw unavailable("\(error)") }
            throw processMissing
        }
    }

    // MARK: - Processes

    /// Returns the number of a pidfd's process; nil if the descriptor is not a pidfd or the process was reaped.
    private static func number(of pidfd: Descriptor) -> Int32? {
        let path = pidfd.withNumber { "/proc/self/fdinfo/\($0)" }
        guard let content = try? AtomicFile(path: path).read() else { return nil }
        for line in String(decoding: content, as: UTF8.self).split(separator: "\n") where line.hasPrefix("Pid:") {
            guard let pid = Int32(line.dropFirst(4).filter { !$0.isWhitespace }), pid > 1 else { return nil }
            return pid
        }
        return nil
    }

    private static func isAlive(_ pidfd: Descriptor) -> Bool { !pidfd.isReadable(within: 0) }

    /// Returns the real, effective, saved and file-system user of a process, and the path of its current group; nil if
    /// the process is gone.
    private static func identity(of pid: Int32) -> (users: [UInt32], group: String?)? {
        guard let status = try? ProcessTable.status(pid) else { return nil }
        // If mounts or membership cannot be read, no group is found, so that nothing is moved back later.
        let mounts = (try? MountTable.read()) ?? MountTable(text: "")
        let membership = (try? AtomicFile(path: "/proc/\(pid)/cgroup").read()) ?? []
        return (status.users, path(mounts: mounts, membership: String(decoding: membership, as: UTF8.self)))
    }

    private static var processMissing: HelperRefusal {
        HelperRefusal(
            .processMissing,
            "The request came without a process, or the process has ended. Send its pidfd with the request.")
    }

    private static func unavailable(_ cause: String) -> HelperRefusal {
        HelperRefusal(.groupsUnavailable, "\(cause). The helper needs control groups of version 2, and Delegate=yes.")
    }
}
