// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol

/// A session that ended here and that the server must hear of; it holds nothing of the worker but the session's number.
package struct EndedSession: Sendable, Codable, Equatable {
    /// The server's number of it; empty where the device does not know whether the server opened one in this epoch.
    package let serverSession: String
    package let epoch: Epoch
    /// Whether the identity platform's session in the browser ends, too.
    package var fromBrowser: Bool
    /// The app's id of its sign-out, under which the server hears of it; random.
    package var correlationID: String?

    package init(serverSession: String, epoch: Epoch, fromBrowser: Bool = false, correlationID: String? = nil) {
        self.serverSession = serverSession
        self.epoch = epoch
        self.fromBrowser = fromBrowser
        self.correlationID = correlationID
    }
}
