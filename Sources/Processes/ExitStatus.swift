// SPDX-License-Identifier: Apache-2.0

/// How a process ended.
package enum ExitStatus: Sendable, Equatable {
    /// The process exited with this code.
    case exited(Int32)
    /// A signal terminated the process.
    case signalled(Int32)

    /// Decodes a status from `waitpid(2)`.
    package init(waitStatus: Int32) {
        let signal = waitStatus & 0x7f
        self = signal == 0 ? .exited(waitStatus >> 8 & 0xff) : .signalled(signal)
    }

    /// Whether the process exited with code 0.
    package var isSuccess: Bool { self == .exited(0) }

    /// The status as text.
    package var text: String {
        switch self {
        case .exited(let code): "exit code \(code)"
        case .signalled(let signal): "signal \(signal)"
        }
    }
}
