// SPDX-License-Identifier: Apache-2.0
internal import Logging
internal import NIOCore
internal import ProxyProtocol
internal import Synchronization

/// The load balancers in front of a listener, whose headers name the clients. Logs at most once per minute how many
/// connections were refused because of a header.
final class TrustedProxies: Sendable {
    /// Why a connection was refused.
    enum Refusal: String, CaseIterable {
        /// A load balancer sent no header.
        case missing
        /// A load balancer sent a header that this server does not accept.
        case invalid
        /// A load balancer did not send its header in time.
        case late
        /// Another address sent a header.
        case untrusted
    }

    private struct State {
        var counts: [Refusal: Int] = [:]
        var pace = WarningPace()
    }

    /// How long a load balancer may take to send its header.
    static let patience = TimeAmount.seconds(5)

    private let ranges: [AddressRange]
    private let listener: String
    private let logger: Logger
    private let state = Mutex(State())

    init(_ ranges: [AddressRange], listener: String, logger: Logger) {
        (self.ranges, self.listener, self.logger) = (ranges, listener, logger)
    }

    /// Whether a connection from this address must begin with a header.
    func contains(_ address: SocketAddress?) -> Bool {
        guard !ranges.isEmpty, let text = address?.ipAddress else { return false }
        return ranges.contains { $0.contains(text) }
    }

    /// Counts a refused connection.
    func count(_ refusal: Refusal) {
        let due = state.withLock { state -> [Refusal: Int]? in
            state.counts[refusal, default: 0] += 1
            return state.pace.isDue() ? state.counts : nil
        }
        guard let due else { return }
        var metadata: Logger.Metadata = ["listener": "\(listener)"]
        for refusal in Refusal.allCases { metadata["refused.\(refusal.rawValue)"] = "\(due[refusal] ?? 0)" }
        logger.warning("connections refused because of the load balancer's header", metadata: metadata)
    }
}
