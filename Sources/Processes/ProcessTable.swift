// SPDX-License-Identifier: Apache-2.0
package import Files
internal import Glibc

/// The machine's processes at one moment, as `/proc` shows them (proc(5)).
///
/// Processes come and go while it is read; who must find every one reads it again until nothing new is there.
package struct ProcessTable: Sendable {
    /// One process.
    package struct Entry: Sendable, Equatable {
        package let pid: Int32
        package let parent: Int32
        package let group: Int32
        /// It has ended and waits to be reaped.
        package let isZombie: Bool
        /// Clock ticks since boot; with the number it names a process for ever.
        package let startTime: UInt64

        /// What names a process for ever, whatever becomes of its parent and its group.
        package struct Name: Hashable {
            package let pid: Int32
            let startTime: UInt64
        }

        package var name: Name { Name(pid: pid, startTime: startTime) }
    }

    package let entries: [Entry]

    package init(entries: [Entry]) { self.entries = entries }

    /// Reads the table.
    ///
    /// - Throws: ``ProcessFailure`` when `/proc` cannot be read; processes that end meanwhile are left out.
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

    /// The process with this number, or nil where there is none.
    package static func entry(_ pid: Int32) throws(FileError) -> Entry? {
        guard let fields = try fields(pid), let parent = Int32(fields[4 - 3]), let group = Int32(fields[5 - 3]),
            let startTime = UInt64(fields[22 - 3])
        else { return nil }
        return Entry(
            pid: pid, parent: parent, group: group, isZombie: fields[0] == "Z" || fields[0] == "X",
            startTime: startTime)
    }

    /// What `stat` says of a process from its third field, the state, on (proc_pid_stat(5)); nil where it is gone.
    private static func fields(_ pid: Int32) throws(FileError) -> [Substring]? {
        guard let content = try contentOfProcess(pid, "stat") else { return nil }
        let text = String(decoding: content, as: UTF8.self)
        // The name is in parentheses and may hold anything, parentheses too: the fields begin after the last one.
        guard let close = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: close)...].split(separator: " ")
        return fields.count > 51 - 3 ? fields : nil
    }

    /// Every process that `ancestor` started, directly or through others.
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

    /// The processes whose environment has a variable that begins like this, their process groups, and all that these
    /// started. Processes whose environment only another user may read are no match.
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

    /// The processes whose environment has a variable that begins like this, each with what follows that beginning.
    /// Processes whose environment only another user may read are no match.
    ///
    /// - Throws: ``ProcessFailure``, with `EAGAIN` where a process stays in the middle of execve(2).
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

    /// The environment of a process; nil where the process is gone or another user's.
    ///
    /// In the middle of execve(2) a process has none, and must not be taken for one without a mark: the end of that moment
    /// is waited for.
    private static func environment(of entry: Entry) throws(FileError) -> [UInt8]? {
        for _ in 0..<execRounds {
            // Asked first: what is set up by now cannot be missing afterwards.
            let isInExec = try isInExec(entry)
            guard let content = try contentOfProcess(entry.pid, "environ") else { return nil }
            guard isInExec, content.isEmpty else { return content }
            usleep(execPause)
        }
        throw FileError(.read, errno: EAGAIN, path: "/proc/\(entry.pid)/environ")
    }

    /// A tenth of a second in all, in microseconds each.
    private static let (execRounds, execPause): (Int, UInt32) = (100, 1000)

    /// Whether a process of this user has left its old program and not begun the new one.
    private static func isInExec(_ entry: Entry) throws(FileError) -> Bool {
        guard let fields = try fields(entry.pid), UInt64(fields[22 - 3]) == entry.startTime,
            let flags = UInt32(fields[9 - 3])
        else { return false }
        // `PF_EXITING` and `PF_KTHREAD` of Linux's `sched.h`: neither will ever have an environment.
        return flags & (0x4 | 0x20_0000) == 0 && fields[51 - 3] == "0"
    }

    /// The content of a file of a process; nil where the process is gone or another user's.
    private static func contentOfProcess(_ pid: Int32, _ name: String) throws(FileError) -> [UInt8]? {
        do throws(FileError) {
            return try AtomicFile(path: "/proc/\(pid)/\(name)").read()
        } catch {
            if [ESRCH, EACCES, EPERM].contains(error.errno) { return nil }
            throw error
        }
    }
}
