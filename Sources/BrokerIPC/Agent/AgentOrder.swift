// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol
package import BrowserPolicies

/// The orders from `batond` to the agent in the worker's graphical session, over `agent.sock`.
package enum AgentOrder: Sendable, Codable, Equatable {
    /// Open `url` (see ``LoopbackURL``) in the browser of this epoch. The agent answers `id` with
    /// ``AgentMessage/opened(id:)`` or ``AgentMessage/failed(id:code:message:)``.
    case open(id: UInt64, epoch: Epoch.ID, url: String)
    /// End every process of this epoch's browser and remove its profile.
    case close(epoch: Epoch.ID)
    /// Browsers that are started from now on go by this. On a new connection they go by ``BrowserConfiguration/standard``.
    case configure(BrowserConfiguration)
}
