// SPDX-License-Identifier: Apache-2.0

/// Why the agent did not carry out an order. It names neither the page nor the person.
package struct AgentFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// Stable codes for other programs.
    package enum Code: String, Sendable {
        case invalidURL = "invalid_url"
        case otherEpochOpen = "other_epoch_open"
        case notCleared = "not_cleared"
        case profileMounted = "profile_mounted"
        case profileUnavailable = "profile_unavailable"
        case browserUnavailable = "browser_unavailable"
        /// The machine cannot confine a browser, so no window opens.
        case confinementUnavailable = "confinement_unavailable"
        case policiesUnavailable = "policies_unavailable"
        /// A browser does not know a policy on which Baton relies.
        case policyUnknown = "policy_unknown"
        /// A file of the browser's extension is not the one that the agent packed.
        case extensionChanged = "extension_changed"
        /// A file of a window's policies is not the one that the agent wrote.
        case policiesChanged = "policies_changed"
        case addressBlocked = "address_blocked"
        case alreadyRunning = "already_running"
        /// The browser ended before it showed a worker's page.
        case browserEnded = "browser_ended"
        /// The browser runs, but its extension did not start in time.
        case browserSilent = "browser_silent"
    }

    package let code: Code
    /// The cause and the remedy, in one or two sentences.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package static func == (left: AgentFailure, right: AgentFailure) -> Bool { left.code == right.code }

    package var description: String { "\(code.rawValue): \(message)" }
}
