// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol

/// Receives a connection's epochs and the events that the broker sends on its own. A connection with a listener asks
/// for events in its hello. The blocks run on the connection's thread and must not block it.
package struct BrokerListener: Sendable {
    /// Called when the connection has opened, with the epoch to which it belongs.
    let opened: @Sendable (Epoch) -> Void
    /// Called when the connection could not be opened. The library tries again unless the failure is permanent.
    let missed: @Sendable (LinkFailure) -> Void
    let event: @Sendable (BrokerEvent) -> Void

    package init(
        opened: @escaping @Sendable (Epoch) -> Void, missed: @escaping @Sendable (LinkFailure) -> Void,
        event: @escaping @Sendable (BrokerEvent) -> Void
    ) {
        (self.opened, self.missed, self.event) = (opened, missed, event)
    }
}
