// SPDX-License-Identifier: Apache-2.0
package import BrokerDevice
package import BrokerProtocol

/// What the device states to its server: who it is, in which epoch, and whose session it holds.
package struct WatchedSession: Sendable, Equatable {
    /// The device's registration; nil where it has joined no directory.
    package let join: JoinRecord?
    package let epoch: Epoch
    /// The server's number of the session; nil where nobody is signed in.
    package let serverSession: String?
    /// The number of the newest receipt; 0 before the first.
    package let receipt: Int

    package init(join: JoinRecord?, epoch: Epoch, serverSession: String?, receipt: Int = 0) {
        self.join = join
        self.epoch = epoch
        self.serverSession = serverSession
        self.receipt = receipt
    }
}
