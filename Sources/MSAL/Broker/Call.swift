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
    /// What the broker does before it answers.
    enum Work {
        /// It reads what it already knows.
        case reading
        /// It records the request's contents on disk.
        case recording
        /// It asks the server, or a person.
        case asking
    }

    var work: Work {
        switch self {
        case .currentAccount, .getDeviceInfo, .getAccounts: .reading
        case .acknowledgeAccount, .removeAccount: .recording
        default: .asking
        }
    }

    /// Whether the operation may be sent a second time on a new connection.
    var isIdempotent: Bool { work != .asking || self == .refresh }
}
