// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC

/// The state of the device's push channel to its management server.
package enum PushStatus: Sendable, Equatable {
    /// The device is not enrolled, or has only just started.
    case none
    case open
    /// The channel broke; the value is the cause, for developers.
    case broken(String)

    package var finding: CheckResult {
        switch self {
        case .none:
            CheckResult(
                .push, .note, code: "push_none", message: "There is no push channel: the device is not enrolled.")
        case .open:
            CheckResult(.push, .good, code: "push_open", message: "The push channel to the management server is open.")
        case .broken(let cause):
            CheckResult(
                .push, .warning, code: "push_broken",
                message:
                    "There is no push channel to the management server (\(cause)): changes reach the device only when "
                    + "it checks in.",
                remedy: "Check the network and the server's listener for devices; the device tries again by itself.")
        }
    }
}
