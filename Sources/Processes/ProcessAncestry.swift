// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Files
package import UnixSocket

/// Whether one process has started another, directly or through others, as the kernel names parents now.
///
/// A process whose parent has ended is given to an ancestor that adopts orphans (`PR_SET_CHILD_SUBREAPER`, prctl(2)) or to the
/// first process, and never to one that did not start it. A process number that was used again is told by its start time: no
/// process is older than its parent.
package enum ProcessAncestry {
    /// Generations that are followed; a browser's helpers are a few below it.
    private static let maximumDepth = 32

    /// Returns a pidfd of `process`; nil unless it runs and was started by `ancestor`.
    ///
    /// The caller must know that the number is not reused meanwhile, for example because its parent has not reaped it.
    package static func handle(of process: Int32, startedBy ancestor: ProcessTable.Entry.Name) -> Descriptor? {
        guard process > 1 else { return nil }
        let number = clinux_pidfd_open(process)
        guard number >= 0 else { return nil }
        let handle = Descriptor(owning: number)
        guard isStarted(process, by: ancestor), !handle.isReadable(within: 0) else { return nil }
        return handle
    }

    /// Whether `process` was started by `ancestor`; false where that cannot be seen.
    ///
    /// - Parameter entry: what `/proc` says of a process.
    package static func isStarted(
        _ process: Int32, by ancestor: ProcessTable.Entry.Name,
        entry: (Int32) -> ProcessTable.Entry? = { pid in (try? ProcessTable.entry(pid)) ?? nil }
    ) -> Bool {
        guard let first = entry(process), !first.isZombie else { return false }
        var child = first
        for _ in 0..<maximumDepth {
            guard child.parent > 1, child.parent != child.pid, let parent = entry(child.parent), !parent.isZombie,
                parent.startTime <= child.startTime
            else { return false }
            // The chain is read one by one: what it began with must still be what it was.
            if parent.name == ancestor { return entry(process)?.name == first.name }
            child = parent
        }
        return false
    }
}
