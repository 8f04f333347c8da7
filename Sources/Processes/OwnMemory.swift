// SPDX-License-Identifier: Apache-2.0
internal import CLinux

/// The memory of this process.
package enum OwnMemory {
    /// Keeps the memory out of core dumps and away from other processes of the same user (`PR_SET_DUMPABLE`, prctl(2)).
    /// Root can still read it, and so can the creator of the user namespace in which this process runs.
    ///
    /// - Throws: ``ProcessFailure`` if the kernel refuses.
    package static func shut() throws(ProcessFailure) {
        let outcome = clinux_forbid_dumps()
        guard outcome == 0 else { throw ProcessFailure(step: .shut, errno: -outcome) }
    }

    /// Makes the threads of this process share two of malloc(3)'s arenas (mallopt(3)), for programs with many threads
    /// that mostly wait: each arena keeps pages of its own. Call it before the first thread starts.
    package static func shareArenas() { clinux_share_arenas(2) }
}
