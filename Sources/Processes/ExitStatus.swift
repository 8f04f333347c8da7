// SPDX-License-Identifier: Apache-2.0

/// How a process ended.
package enum ExitStatus: Sendable, Equatable {
    /// It ended by itself, with this code.
    case exited(Int32)
    /// A signal ended it.
    case signalled(Int32)

    /// Reads a status in the shape of `waitpid(2)`.
    package init(waitStatus: Int32) {
        let signal = waitStatus & 0x7f
        self = signal == 0 ? .exited(waitStatus >> 8 & 0xff) : .signalled(signal)
    }

    /// It ended by itself and said that all went well.
    package var isSuccess: Bool { self == .exited(0) }
}
