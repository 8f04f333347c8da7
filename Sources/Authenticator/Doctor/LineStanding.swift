// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol

/// How the device's line to its management server stands.
package enum LineStanding: Sendable, Equatable {
    /// The device is enrolled nowhere, or has only just started.
    case none
    case open
    /// The cause, for developers.
    case broken(String)

    package var finding: CheckResult {
        switch self {
        case .none: CheckResult(.line, "line_none", .note, "No line is held: the device is enrolled nowhere.")
        case .open: CheckResult(.line, "line_open", .good, "The line to the management server is open.")
        case .broken(let cause):
            CheckResult(
                .line, "line_broken", .warning,
                "There is no line to the management server (\(cause)): the device hears of changes only when it asks.",
                remedy: "Look at the network and at the server's devices' listener; the device tries again by itself.")
        }
    }
}
