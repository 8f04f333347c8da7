// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC

/// The reasons why no PIN is set. The supervisor and the session process report them.
extension OperatorFailure {
    /// No worker is signed in, or the worker was not authenticated by the server.
    package static let pinNeedsWorker = OperatorFailure(
        code: "pin_needs_worker", message: "A PIN is set by a worker who is signed in with the server.",
        remedy: "Sign in while the device reaches the server, then try again.")

    /// A PIN is being set already.
    package static let pinRunning = OperatorFailure(
        code: "pin_running", message: "A PIN is being set already.", remedy: "Finish that page, or close the browser.")

    /// The session ended before the PIN was set.
    package static let pinInterrupted = OperatorFailure(
        code: "pin_interrupted", message: "The session ended before a PIN was set.", remedy: "Sign in and try again.")
}
