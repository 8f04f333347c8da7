// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol

/// A session that ended on this device and must be reported to the server. It holds the session's id, but no other user
/// data.
package struct EndedSession: Sendable, Codable, Equatable {
    /// The server's id for the session; empty if the device does not know whether the server opened a session in this
    /// epoch.
    package let serverSession: String
    package let epoch: Epoch
    /// Whether the identity platform's session in the browser ends too.
    package var fromBrowser: Bool
    /// The random id of the app's sign-out request. It is sent to the server when the end is reported.
    package var correlationID: String?

    package init(serverSession: String, epoch: Epoch, fromBrowser: Bool = false, correlationID: String? = nil) {
        self.serverSession = serverSession
        self.epoch = epoch
        self.fromBrowser = fromBrowser
        self.correlationID = correlationID
    }
}
