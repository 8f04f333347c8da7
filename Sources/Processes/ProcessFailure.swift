// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// A process that could not be started, watched or found, with the kernel's reason.
package struct ProcessFailure: Error, Equatable, CustomStringConvertible {
    /// What was tried.
    package enum Step: String, Sendable {
        case spawn, watch, signal, wait, list, shut
    }

    package let step: Step
    package let errno: Int32
    /// The processes that are still there; empty where it is not about single ones.
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
