// SPDX-License-Identifier: Apache-2.0

/// Why a worker's page is not shown.
package enum PageFailure: String, Sendable, Equatable, Codable {
    case agentMissing
    /// No worker is signed in, or the epoch in which the page was requested is over.
    case nobodySignedIn
    /// The agent's configuration blocks the address.
    case blocked
    /// Too many pages are being opened.
    case tooMany
    /// The browser could not be started, or ended before it showed the page.
    case notShown
    /// The browser runs, but the agent did not confirm in time that the browser shows the page.
    case unconfirmed
}
