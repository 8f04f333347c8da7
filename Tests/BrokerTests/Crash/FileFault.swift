// SPDX-License-Identifier: Apache-2.0
import FileRecorder
import Glibc

/// What a disk may do to the calls that change its files.
struct FileFault: Hashable, CustomStringConvertible {
    let reason: Int32
    /// Whether every later call fails, too, until the fault is gone.
    let isLasting: Bool

    /// One call does not reach the disk, fsync(2) among them, and the next ones do.
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

    /// Runs `body` while the calls below `root` fail from the one of this number on.
    ///
    /// - Returns: whether there were so many calls.
    func befalls(_ root: String, call: UInt64, while body: () async -> Void) async -> Bool {
        unsafe file_faults_begin(root, call, reason, isLasting ? 1 : 0)
        await body()
        return file_faults_end() >= call
    }

    /// It is over, also where ``befalls(_:call:while:)`` still runs.
    static func mend() { _ = file_faults_end() }
}
