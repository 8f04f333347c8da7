// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Files
package import UnixSocket

/// Determines whether one process has started another, directly or through other processes, from the parents that the
/// kernel currently records.
///
/// When a process ends, the kernel gives its children to an ancestor that adopts orphans (`PR_SET_CHILD_SUBREAPER`,
/// prctl(2)) or to the first process, and never to a process that did not start them. No process is older than its
/// parent. If the process that has the parent's id now started later than the child, the id was reused.
package enum ProcessAncestry {
    /// The maximum number of generations to follow. A browser's helper processes are only a few generations below the
    /// browser.
    private static let maximumDepth = 32

    /// Returns a pidfd of `process`; nil unless it runs and was started by `ancestor`.
    ///
    /// The caller must ensure that the process id is not reused meanwhile, for example because the parent has not
    /// reaped the process.
    package static func handle(of process: Int32, startedBy ancestor: ProcessTable.Name) -> Descriptor? {
        guard process > 1 else { return nil }
        let number = clinux_pidfd_open(process)
        guard number >= 0 else { return nil }
        let handle = Descriptor(owning: number)
        guard isStarted(process, by: ancestor), !handle.isReadable(within: 0) else { return nil }
        return handle
    }

    /// Whether `process` was started by `ancestor`; false if that cannot be determined.
    ///
    /// - Parameter entry: reads a process from `/proc`.
    package static func isStarted(
        _ process: Int32, by ancestor: ProcessTable.Name,
        entry: (Int32) -> ProcessTable.Entry? = { pid in (try? ProcessTable.entry(pid)) ?? nil }
    ) -> Bool {
        guard let first = entry(process), !first.isZombie else { return false }
        var child = first
        for _ in 0..<maximumDepth {
            guard child.parent > 1, child.parent != child.pid, let parent = entry(child.parent), !parent.isZombie,
                parent.startTime <= child.startTime
            else { return false }
            // The processes are read one after the other, so the first process is read again, to check that it is still
            // the same process.
            if parent.name == ancestor { return entry(process)?.name == first.name }
            child = parent
        }
        return false
    }
}
