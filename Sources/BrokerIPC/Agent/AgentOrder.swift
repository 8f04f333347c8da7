// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol
package import BrowserPolicies

/// The orders from `batond` to the agent in the worker's graphical session, over `agent.sock`.
package enum AgentOrder: Sendable, Codable, Equatable {
    /// Open `url` (see ``LoopbackURL``) in a window of this epoch. Of the identity platform's pages, the window shows
    /// only those in `pages`: each entry gives a path and what the page's query must contain. The agent answers `id`
    /// with ``AgentMessage/opened(id:)`` or ``AgentMessage/failed(id:code:message:)``.
    case open(id: UInt64, epoch: Epoch.ID, url: String, pages: [String] = [])
    /// Open a page for the worker in the browser of this epoch; a nil address means the home page. Each order has its
    /// own `id`, for which ``isPage(_:)`` is true. Answered like ``open(id:epoch:url:pages:)`` or with
    /// ``AgentMessage/passed(id:)``, and afterwards with ``AgentMessage/shown(id:)`` or
    /// ``AgentMessage/failed(id:code:message:)``.
    case browse(id: UInt64, epoch: Epoch.ID, address: WebAddress?)
    /// The origin of the identity platform's pages. Pages of its host open even if the configuration blocks them.
    case signIn(WebOrigin)
    /// The browser of this epoch keeps its files in `storage`, an existing empty folder of the agent's user. The
    /// browser starts only after the broker has put the browser's first process into the session's control group: see
    /// ``AgentMessage/starting(epoch:process:)``.
    case confine(epoch: Epoch.ID, storage: String)
    /// Start the browser in this waiting process or, if the process could not be confined, end it.
    case proceed(process: Int32, isConfined: Bool)
    /// End the windows that show the pages of ``open(id:epoch:url:pages:)``: the sign-in is over. Pages that the worker
    /// opened meanwhile stay open.
    case endSignIn(epoch: Epoch.ID)
    /// Examine the browsers of this epoch, whose processes are about to be killed. Answered with
    /// ``AgentMessage/examined(epoch:_:)``.
    case examine(epoch: Epoch.ID)
    /// End every process of this epoch's browser and remove its profile. The agent examines the browser first.
    case close(epoch: Epoch.ID)
    /// Take away the data that these apps have of an ended epoch. Answered with
    /// ``AgentMessage/dataCleared(epoch:failures:)``. After `until`, in milliseconds of `CLOCK_BOOTTIME`, the agent
    /// moves nothing, because the data could be the next worker's.
    case clearData(epoch: Epoch.ID, apps: [AppData], until: Int)
    /// Use this configuration for browsers that are started from now on. Until the first such order of a connection,
    /// the agent uses ``BrowserConfiguration/standard``.
    case configure(BrowserConfiguration)

    /// The id of every order for a worker's page is greater than this number. No epoch's counter reaches this number,
    /// and JSON readers represent ids of this size exactly.
    package static let pages: UInt64 = 1 << 52

    /// Whether this is the id of an order for a worker's page.
    package static func isPage(_ id: UInt64) -> Bool { id > pages }

    /// Whether the order is to open a page. The page's address may reveal something about a worker.
    package var namesPage: Bool {
        switch self {
        case .open, .browse: true
        case .signIn, .confine, .proceed, .endSignIn, .examine, .close, .clearData, .configure: false
        }
    }

    private enum SignInCodingKeys: String, CodingKey { case _0 = "origin" }
    private enum ConfigureCodingKeys: String, CodingKey { case _0 = "configuration" }
}
