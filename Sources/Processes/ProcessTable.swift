// SPDX-License-Identifier: Apache-2.0
package import Files
internal import Glibc

/// A snapshot of the machine's processes, as `/proc` shows them (proc(5)).
///
/// Processes come and go while the table is read. To find every process, read the table repeatedly until no new process
/// appears.
package struct ProcessTable: Sendable {
    /// One process.
    package struct Entry: Sendable, Equatable {
        package let pid: Int32
        package let parent: Int32
        package let group: Int32
        /// Whether the process has ended and waits to be reaped.
        package let isZombie: Bool
        /// Clock ticks since boot; together with the pid it identifies a process permanently.
        package let startTime: UInt64

        package init(pid: Int32, parent: Int32, group: Int32, isZombie: Bool, startTime: UInt64) {
            (self.pid, self.parent, self.group) = (pid, parent, group)
            (self.isZombie, self.startTime) = (isZombie, startTime)
        }

        package var name: Name { Name(pid: pid, startTime: startTime) }
    }

    /// Identifies a process permanently, even if its parent or group changes.
    package struct Name: Sendable, Hashable, Codable {
        package let pid: Int32
        /// Clock ticks since boot.
        package let startTime: UInt64

        package init(pid: Int32, startTime: UInt64) { (self.pid, self.startTime) = (pid, startTime) }

        /// Stands for every process that this one cannot see, such as those of another PID namespace: they cannot be
        /// distinguished from each other. No process has the number 0.
        package static let unseen = Name(pid: 0, startTime: 0)
    }

    package let entries: [Entry]

    package init(entries: [Entry]) { self.entries = entries }

    /// Reads the table.
    ///
    /// - Throws: ``ProcessFailure`` if `/proc` cannot be read. Processes that end meanwhile are left out.
    package static func read() throws(ProcessFailure) -> ProcessTable {
        do throws(FileError) {
            var entries: [Entry] = []
            for pid in try Directory(path: "/proc").names().compactMap({ Int32($0) }) {
                if let entry = try entry(pid) { entries.append(entry) }
            }
            return ProcessTable(entries: entries)
        } catch {
            throw ProcessFailure(step: .list, errno: error.errno)
        }
    }

    /// Returns the process with this pid; nil if there is none.
    package static func entry(_ pid: Int32) throws(FileError) -> Entry? {
        guard let stat = try stat(pid), let parent = stat[4, as: Int32.self], let group = stat[5, as: Int32.self],
            let startTime = stat[22, as: UInt64.self]
        else { return nil }
        // A process whose first thread has ended looks like a zombie, and runs as long as another thread does.
        let hasOtherThreads = stat[20, as: Int32.self].map { $0 > 1 } ?? false
        return Entry(
            pid: pid, parent: parent, group: group,
            isZombie: !hasOtherThreads && (stat.state == UInt8(ascii: "Z") || stat.state == UInt8(ascii: "X")),
            startTime: startTime)
    }

    /// The status of a process, from `/proc/<pid>/status` (proc_pid_status(5)).
    package struct Status: Sendable {
        /// The process's user ids: real, effective, saved and file system.
        package let users: [UInt32]
        /// The process's name, which the process can change; printable (`String(printableName:)`).
        package let name: String
        /// Whether the process has memory of its own. Kernel threads and ended processes have none.
        package let hasMemory: Bool
        /// The number of slots for descriptors. Every descriptor of the process is less than this number.
        package let descriptorSlots: Int32
    }

    /// Returns the status of the process with this pid; nil if there is none.
    package static func status(_ pid: Int32) throws(FileError) -> Status? {
        guard let content = try contentOfProcess(pid, "status") else { return nil }
        let lines = content.split(separator: UInt8(ascii: "\n"))
        func value(_ key: String) -> ArraySlice<UInt8>? {
            lines.first { $0.starts(with: key.utf8) }.map { $0.dropFirst(key.utf8.count) }
        }
        let users = value("Uid:\t").map { String(decoding: $0, as: UTF8.self) }?
            .split(separator: "\t").compactMap { UInt32($0) }
        let slots = value("FDSize:\t").flatMap { Int32(String(decoding: $0, as: UTF8.self)) }
        guard let users, users.count == 4, let name = value("Name:\t"), let slots else { return nil }
        return Status(
            users: users, name: String(printableName: name), hasMemory: value("VmSize:") != nil, descriptorSlots: slots)
    }

    /// Returns the fields of `stat`; nil if the process is gone.
    private static func stat(_ pid: Int32) throws(FileError) -> ProcessStat? {
        try contentOfProcess(pid, "stat").flatMap { ProcessStat($0) }
    }

    /// Returns all processes that `ancestor` started, directly or indirectly.
    package func descendants(of ancestor: Int32) -> [Entry] {
        let children = Dictionary(grouping: entries, by: \.parent)
        var found: [Entry] = []
        var waiting = [ancestor]
        while let next = waiting.popLast() {
            let born = children[next, default: []]
            found += born
            waiting += born.map(\.pid)
        }
        return found
    }

    /// Returns the child of `parent` that has a file open, or that started, directly or indirectly, a process that has
    /// this file open. Returns nil if there is no such child, or if that cannot be determined.
    ///
    /// - Parameter link: how `/proc/<pid>/fd` names the file (``SocketTable/link(to:)``).
    package func child(of parent: Int32, withOpen link: String) -> Entry? {
        entries.first { child in
            guard child.parent == parent else { return false }
            return ([child] + descendants(of: child.pid)).contains { Self.hasOpen(link, $0) }
        }
    }

    private static func hasOpen(_ link: String, _ process: Entry) -> Bool {
        let folder = Directory(path: "/proc/\(process.pid)/fd")
        let target = Array(link.utf8)
        let isFound = (try? folder.names())?.contains { name in
            ((try? SymbolicLink.target(of: folder.path + "/" + name)) ?? nil) == target
        }
        // The process id may belong to another process by now.
        return isFound == true && ((try? entry(process.pid)) ?? nil)?.name == process.name
    }

    /// Returns the process `descendant` and the processes that started it, directly or indirectly.
    package func ancestry(of descendant: Int32) -> [Entry] {
        let known = Dictionary(entries.map { ($0.pid, $0) }) { first, _ in first }
        var found: [Entry] = []
        var next = known[descendant]
        while let entry = next, !found.contains(entry) {
            found.append(entry)
            next = known[entry.parent]
        }
        return found
    }

    /// Returns the processes with an environment variable that begins with `beginning`, their process groups, and all
    /// descendants. Processes whose environment only another user may read do not match.
    package func marked(_ beginning: String) throws(ProcessFailure) -> [Entry] {
        var found: [Int32: Entry] = [:]
        for (entry, _) in try variables(beginning: beginning) { found[entry.pid] = entry }
        let groups = Set(found.values.map(\.group))
        for entry in entries where groups.contains(entry.group) && !entry.isZombie { found[entry.pid] = entry }
        for root in Array(found.keys) {
            for entry in descendants(of: root) where !entry.isZombie { found[entry.pid] = entry }
        }
        return Array(found.values)
    }

    /// Returns the processes with an environment variable that begins with `beginning`, each with the rest of that
    /// variable. Processes whose environment only another user may read do not match.
    ///
    /// - Throws: ``ProcessFailure``, with `EAGAIN` if a process stays in the middle of execve(2).
    package func variables(beginning: String) throws(ProcessFailure) -> [(Entry, String)] {
        let mark = Array(beginning.utf8)
        var found: [(Entry, String)] = []
        do throws(FileError) {
            for entry in entries where !entry.isZombie {
                guard let environment = try Self.environment(of: entry),
                    let variable = environment.split(separator: 0).first(where: { $0.starts(with: mark) })
                else { continue }
                found.append((entry, String(decoding: variable.dropFirst(mark.count), as: UTF8.self)))
            }
        } catch {
            throw ProcessFailure(step: .list, errno: error.errno)
        }
        return found
    }

    /// Returns the environment of a process; nil if the process is gone or belongs to another user.
    ///
    /// During execve(2) a process has no environment. It must not count as unmarked during that time, so this function
    /// waits until execve(2) is done.
    private static func environment(of entry: Entry) throws(FileError) -> [UInt8]? {
        for _ in 0..<execRounds {
            // This is checked first: if execve(2) is done at this point, the environment cannot be missing afterwards.
            let isInExec = try isInExec(entry)
            guard let content = try contentOfProcess(entry.pid, "environ") else { return nil }
            guard isInExec, content.isEmpty else { return content }
            usleep(execPause)
        }
        throw FileError(.read, errno: EAGAIN, path: "/proc/\(entry.pid)/environ")
    }

    /// At most 100 pauses of 1,000 microseconds, 0.1 seconds in all.
    private static let (execRounds, execPause): (Int, UInt32) = (100, 1000)

    /// Whether a process of this user is in execve(2): it has left its old program and has not started the new one yet.
    private static func isInExec(_ entry: Entry) throws(FileError) -> Bool {
        guard let stat = try stat(entry.pid), stat[22, as: UInt64.self] == entry.startTime,
            let flags = stat[9, as: UInt32.self]
        else { return false }
        // `PF_EXITING` and `PF_KTHREAD` of Linux's `sched.h`: such processes will never have an environment.
        return flags & (0x4 | 0x20_0000) == 0 && stat[51, as: UInt64.self] == 0
    }

    /// Returns the content of a file of a process; nil if the process is gone or belongs to another user.
    private static func contentOfProcess(_ pid: Int32, _ name: String) throws(FileError) -> [UInt8]? {
        do throws(FileError) {
            return try AtomicFile(path: "/proc/\(pid)/\(name)").read()
        } catch {
            if [ESRCH, EACCES, EPERM].contains(error.errno) { return nil }
            throw error
        }
    }
}
