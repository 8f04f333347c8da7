// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// A failure to start, watch, signal, wait for or list processes, with the kernel's reason.
package struct ProcessFailure: Error, Equatable, CustomStringConvertible {
    /// The step that failed.
    package enum Step: String, Sendable {
        case spawn, watch, signal, wait, list, shut, renew
    }

    package let step: Step
    package let errno: Int32
    /// The processes that still exist; empty if the failure is not about particular processes.
    package let pids: [Int32]

    package init(step: Step, errno: Int32, pids: [Int32] = []) {
        self.step = step
        self.errno = errno
        self.pids = pids
    }

    package var description: String {
        let reason = unsafe strerror(errno).map { unsafe String(cString: $0) } ?? "error \(errno)"
        let left = pids.isEmpty ? "" : ", still there: \(pids.map { String($0) }.joined(separator: ", "))"
        return "process \(step.rawValue): \(reason)\(left)"
    }
}
