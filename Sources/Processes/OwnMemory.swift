// SPDX-License-Identifier: Apache-2.0
internal import CLinux

/// The memory of this process, which holds what is nobody else's.
package enum OwnMemory {
    /// Keeps it out of core dumps and away from other processes of the same user (`PR_SET_DUMPABLE`, prctl(2)); root, and
    /// who made the user namespace in which this process runs, may look all the same.
    ///
    /// - Throws: ``ProcessFailure`` where the kernel refuses.
    package static func shut() throws(ProcessFailure) {
        let outcome = clinux_forbid_dumps()
        guard outcome == 0 else { throw ProcessFailure(step: .shut, errno: -outcome) }
    }
}
