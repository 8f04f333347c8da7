// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// A process that could not be started, watched or found, with the kernel's reason.
package struct ProcessFailure: Error, Equatable, CustomStringConvertible {
    /// What was tried.
    package enum Step: String, Sendable {
        case spawn, watch, signal, wait, list
    }

    package let step: Step
    package let errno: Int32

    package init(step: Step, errno: Int32) {
        self.step = step
        self.errno = errno
    }

    package var description: String {
        let reason = unsafe strerror(errno).map { unsafe String(cString: $0) } ?? "error \(errno)"
        return "process \(step.rawValue): \(reason)"
    }
}
