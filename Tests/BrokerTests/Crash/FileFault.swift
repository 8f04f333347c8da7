// SPDX-License-Identifier: Apache-2.0
import FileRecorder
import Glibc

/// An error of the calls that change files.
struct FileFault: Hashable, CustomStringConvertible {
    let reason: Int32
    /// Whether every later call fails too, until the fault is removed.
    let isLasting: Bool

    /// One call fails, possibly fsync(2), and the next calls succeed.
    static let broken = FileFault(reason: EIO, isLasting: false)
    static let full = FileFault(reason: ENOSPC, isLasting: true)
    static let readOnly = FileFault(reason: EROFS, isLasting: true)

    var description: String {
        switch reason {
        case EIO: "a call that fails"
        case ENOSPC: "a full disk"
        default: "a disk that became read-only"
        }
    }

    /// Runs `body`, and makes one of the calls that change files below `root` fail: the call with this number. If the
    /// fault is lasting, every later call fails as well.
    ///
    /// - Returns: whether there were that many calls.
    func befalls(_ root: String, call: UInt64, while body: () async -> Void) async -> Bool {
        unsafe file_faults_begin(root, call, reason, isLasting ? 1 : 0)
        await body()
        return file_faults_end() >= call
    }

    /// Removes the fault, even while ``befalls(_:call:while:)`` is running.
    static func mend() { _ = file_faults_end() }
}
