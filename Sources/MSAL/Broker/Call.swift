// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol

/// One request to the broker, with the completion that receives its outcome.
package struct Call: Sendable {
    package typealias Completion = @Sendable (Result<FlatMap, LinkFailure>) -> Void

    let request: Request
    /// Whether the request may safely be repeated if a connection ended before the reply.
    let isIdempotent: Bool
    /// When the wait for the reply ends.
    let deadline: ContinuousClock.Instant
    let complete: Completion
}

extension BrokerProtocol.Operation {
    /// Whether the operation may be sent a second time on a new connection.
    var isIdempotent: Bool {
        [.getDeviceInfo, .getAccounts, .refresh, .currentAccount, .acknowledgeAccount, .removeAccount].contains(self)
    }

    /// Whether the broker answers without the server.
    var isLocal: Bool {
        [.getDeviceInfo, .getAccounts, .currentAccount, .acknowledgeAccount, .removeAccount].contains(self)
    }
}
