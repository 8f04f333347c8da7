// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Files
internal import Glibc
internal import UnixSocket

/// Ends processes that this process did not start itself, and verifies that they are gone.
package struct ProcessSweep: Sendable {
    /// The maximum number of rounds. If every round finds processes, because new ones are started faster than the sweep
    /// kills them, the sweep fails.
    private static let rounds = 64
    /// Milliseconds that a killed process may take to end; only a faulty disk or driver needs longer.
    private static let patience: Int32 = 10_000

    /// Kills every descendant of this process and waits until each has ended and is reaped.
    ///
    /// This process must adopt orphans (`PR_SET_CHILD_SUBREAPER`); otherwise descendants that detached themselves
    /// escape.
    ///
    /// - Parameter children: The children of this process that ``ChildProcess`` reaps.
    /// - Throws: ``ProcessFailure``, with `ETIMEDOUT` if a process does not end.
    package static func endDescendants(children: [ChildProcess]) throws(ProcessFailure) {
        let me = getpid()
        try untilNone(isNone: hasNoChildren) { (table) throws(ProcessFailure) in
            var left: [ProcessTable.Entry] = []
            for entry in table.descendants(of: me) {
                guard entry.isZombie else {
                    left.append(entry)
                    continue
                }
                // A zombie further down becomes a child of this process when its parent ends.
                if entry.parent == me { try reap(entry.pid, children) } else { left.append(entry) }
            }
            return left
        }
    }

    /// Kills a child of this process and all of its descendants, and waits until each has ended.
    ///
    /// A child that waits for its own children, as bubblewrap does, ends once they have ended. Descendants that left
    /// their parent escape, unless the child has its own PID namespace: when the first process of a PID namespace ends,
    /// the kernel ends all others in it.
    ///
    /// - Throws: ``ProcessFailure``, with `ETIMEDOUT` if a process does not end.
    package static func end(_ child: ChildProcess) throws(ProcessFailure) {
        try untilNone { (table) throws(ProcessFailure) in table.descendants(of: child.pid).filter { !$0.isZombie } }
        child.kill()
        try awaitExit(child.pidfd)
    }

    /// Kills the processes of each group and their descendants, and waits until each has ended.
    ///
    /// Two kinds of descendants may escape: those that a process starts while it is being killed, and the descendants
    /// of a process that had already ended. This process and its ancestors, such as the desktop, are not killed. All
    /// groups are ended at the same time, so a group that does not end takes no time from the others.
    ///
    /// - Parameter deadline: the time since the machine's start after which no process is killed any more.
    /// - Returns: for each group nil, or why it has not ended: `ETIMEDOUT` if a process does not end in time, and
    ///   `EPERM` if the group contains this process or one of its ancestors.
    package static func end(_ groups: [Set<ProcessTable.Name>], until deadline: Duration) -> [ProcessFailure?] {
        var known = groups
        var failures = [ProcessFailure?](repeating: nil, count: groups.count)
        var kept: Set<ProcessTable.Name> = []
        // After a failure, the other groups are swept again.
        while known.contains(where: { !$0.isEmpty }) {
            do throws(ProcessFailure) {
                try untilNone(deadline: deadline) { (table) throws(ProcessFailure) in
                    kept = Set(table.ancestry(of: getpid()).map(\.name))
                    return known.indices.flatMap { group in
                        let roots = table.entries.filter { known[group].contains($0.name) && !kept.contains($0.name) }
                        let all = (roots + roots.flatMap { table.descendants(of: $0.pid) }).filter {
                            !kept.contains($0.name)
                        }
                        // A process may lose its parent before it is killed.
                        known[group].formUnion(all.map(\.name))
                        return all.filter { !$0.isZombie }
                    }
                }
                break
            } catch {
                let running = running(besides: kept)
                let failed = known.indices.filter { group in
                    !known[group].isEmpty && running?.isDisjoint(with: known[group]) != true
                }
                guard !failed.isEmpty else { continue }
                for group in failed { (failures[group], known[group]) = (error, []) }
            }
        }
        return zip(groups, failures).map { names, failure in
            let left = names.intersection(kept).map(\.pid).sorted()
            return left.isEmpty ? failure : ProcessFailure(step: .signal, errno: EPERM, pids: left)
        }
    }

    /// The processes that run; nil if they cannot be listed.
    private static func running(besides kept: Set<ProcessTable.Name>) -> Set<ProcessTable.Name>? {
        guard let table = try? ProcessTable.read() else { return nil }
        return Set(table.entries.filter { !$0.isZombie }.map(\.name)).subtracting(kept)
    }

    /// Kills every process that has an environment variable beginning with `beginning`, together with its process group
    /// and its descendants.
    ///
    /// - Throws: ``ProcessFailure``, with `ETIMEDOUT` if a process does not end.
    package static func endMarked(_ beginning: String) throws(ProcessFailure) {
        let me = getpid()
        try untilNone { (table) throws(ProcessFailure) in try table.marked(beginning).filter { $0.pid != me } }
    }

    /// Reaps the ended orphans that this process adopted.
    package static func reapOrphans(children: [ChildProcess]) throws(ProcessFailure) {
        let me = getpid()
        let own = Set(children.map(\.pid))
        for entry in try ProcessTable.read().entries where entry.parent == me && entry.isZombie {
            if !own.contains(entry.pid) { try reap(entry.pid, []) }
        }
    }

    /// Asks the kernel whether this process has children. The table can miss a process whose parent died while the
    /// table was read, but this process has then adopted the orphan as its child.
    private static func hasNoChildren() throws(ProcessFailure) -> Bool {
        let outcome = clinux_has_children()
        guard outcome >= 0 else { throw ProcessFailure(step: .list, errno: -outcome) }
        return outcome == 0
    }

    /// Lists and kills processes until none is found. If a process cannot be killed, the others are killed
    /// nevertheless.
    private static func untilNone(
        deadline: Duration? = nil,
        isNone: () throws(ProcessFailure) -> Bool = { () throws(ProcessFailure) in true },
        _ left: (ProcessTable) throws(ProcessFailure) -> [ProcessTable.Entry]
    ) throws(ProcessFailure) {
        for _ in 0..<rounds {
            let victims = try left(ProcessTable.read())
            if victims.isEmpty, try isNone() { return }
            var dying: [Descriptor] = []
            var failures: [ProcessFailure] = []
            for victim in victims {
                do throws(ProcessFailure) {
                    _ = try rest(until: deadline)
                    if let pidfd = try killed(victim) { dying.append(pidfd) }
                } catch {
                    failures.append(error)
                }
            }
            for pidfd in dying { try awaitExit(pidfd, milliseconds: try rest(until: deadline)) }
            if let failure = failures.first {
                throw ProcessFailure(step: failure.step, errno: failure.errno, pids: failures.flatMap(\.pids))
            }
        }
        throw ProcessFailure(step: .signal, errno: EAGAIN)
    }

    /// The milliseconds that a killed process may take to end.
    ///
    /// - Throws: ``ProcessFailure`` with `ETIMEDOUT` if there is no time left.
    private static func rest(until deadline: Duration?) throws(ProcessFailure) -> Int32 {
        guard let deadline else { return patience }
        let rest = (deadline - BootClock.now()) / .milliseconds(1)
        guard rest > 0 else { throw ProcessFailure(step: .wait, errno: ETIMEDOUT) }
        return Int32(min(rest.rounded(.up), Double(patience)))
    }

    private static func killed(_ entry: ProcessTable.Entry) throws(ProcessFailure) -> Descriptor? {
        let number = clinux_pidfd_open(entry.pid)
        if number == -ESRCH { return nil }
        guard number >= 0 else { throw ProcessFailure(step: .watch, errno: -number, pids: [entry.pid]) }
        let pidfd = Descriptor(owning: number)
        // After the table was read, the pid may have been reused by another process.
        do throws(FileError) {
            guard try ProcessTable.entry(entry.pid)?.startTime == entry.startTime else { return nil }
        } catch {
            throw ProcessFailure(step: .list, errno: error.errno, pids: [entry.pid])
        }
        let sent = pidfd.withNumber { clinux_pidfd_send_signal($0, SIGKILL) }
        guard sent == 0 || sent == -ESRCH else {
            throw ProcessFailure(step: .signal, errno: -sent, pids: [entry.pid])
        }
        return pidfd
    }

    private static func awaitExit(_ pidfd: Descriptor, milliseconds: Int32 = patience) throws(ProcessFailure) {
        var outcome: Int32
        repeat {
            outcome = pidfd.withNumber { number in
                var question = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
                return unsafe poll(&question, 1, milliseconds)
            }
        } while outcome < 0 && errno == EINTR
        guard outcome >= 0 else { throw ProcessFailure(step: .wait, errno: errno) }
        guard outcome > 0 else { throw ProcessFailure(step: .wait, errno: ETIMEDOUT) }
    }

    private static func reap(_ pid: Int32, _ children: [ChildProcess]) throws(ProcessFailure) {
        if let child = children.first(where: { $0.pid == pid }) {
            _ = try child.waitForExit()
            return
        }
        guard waitpid(pid, nil, WNOHANG) >= 0 || errno == ECHILD else {
            throw ProcessFailure(step: .wait, errno: errno)
        }
    }
}
