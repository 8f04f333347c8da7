// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol
package import DeviceSettings

/// The state that the device reports to its server: the device's registration, the epoch, and the session.
package struct WatchedSession: Sendable, Equatable {
    /// The device's registration; nil if the device has joined no directory.
    package let join: JoinRecord?
    package let epoch: Epoch
    /// The server's id for the session; nil if nobody is signed in.
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
