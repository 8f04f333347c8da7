// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol

/// One request to the broker together with whoever waits for its outcome.
struct Call: Sendable {
    typealias Completion = @Sendable (Result<FlatMap, LinkFailure>) -> Void

    let request: Request
    /// Whether it does no harm to ask again after a connection ended without the reply.
    let isIdempotent: Bool
    /// When waiting for the reply ends.
    let deadline: ContinuousClock.Instant
    let complete: Completion
}

extension BrokerProtocol.Operation {
    /// Operations that may be asked a second time on a new connection.
    var isIdempotent: Bool {
        [.getDeviceInfo, .getAccounts, .refresh, .currentAccount, .acknowledgeAccount, .removeAccount].contains(self)
    }
}
