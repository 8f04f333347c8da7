// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// The client of one connection. The listener sets the address at the start of the connection. If the connection
/// arrives through a load balancer, the listener sets the address when it has read the load balancer's header, which
/// comes before the first request.
package final class ForwardedClient: Sendable {
    /// The client of the connection that this task serves.
    @TaskLocal package static var current: ForwardedClient?

    private let known = Mutex<PeerAddress?>(nil)

    package init() {}

    /// The client's address; nil until it is known.
    package var address: PeerAddress? { known.withLock { $0 } }

    package func set(_ address: PeerAddress) { known.withLock { $0 = address } }
}
