// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// The client of one connection that arrives through a load balancer. The listener sets the address when it has read
/// the load balancer's header, which is before the connection's first request.
package final class ForwardedClient: Sendable {
    /// The client of the connection that this task serves.
    @TaskLocal package static var current: ForwardedClient?

    private let known = Mutex<PeerAddress?>(nil)

    package init() {}

    /// The client's address; nil if the connection's own address is the client's.
    package var address: PeerAddress? { known.withLock { $0 } }

    package func set(_ address: PeerAddress) { known.withLock { $0 = address } }
}
