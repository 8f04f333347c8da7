// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol

/// What the agent tells `batond`.
package enum AgentMessage: Sendable, Codable, Equatable {
    /// The first message of a connection: nothing of an earlier epoch is left.
    case hello(version: Int)
    /// The browser of the order `id` was started.
    case opened(id: UInt64)
    /// The order `id` was refused or its browser did not start.
    case failed(id: UInt64, code: String, message: String)
    /// The person closed the browser; the profile is still there until `batond` orders to close.
    case browserExited(epoch: Epoch.ID)
    /// The browser ended with an error, such as where there is no screen; as with ``browserExited(epoch:)`` otherwise.
    case browserBroke(epoch: Epoch.ID)
    /// Every process of that epoch's browser is gone, and its profile folder was read back as absent.
    case closed(epoch: Epoch.ID)
    /// The epoch's browser or profile could not be removed: it must be taken for present. The order may be repeated.
    case closeFailed(epoch: Epoch.ID, code: String, message: String)
    /// The person did something: whoever watches the session's input has told the agent so (`SIGUSR1`).
    case activity

    /// The version of these messages that ``hello(version:)`` names.
    package static let version = 1
}
