// SPDX-License-Identifier: Apache-2.0

/// Why the agent can open no window, or no window of one kind, whatever the page. The raw values are the codes of
/// `baton doctor`.
package enum WindowObstacle: String, Sendable, Codable, Equatable {
    /// The machine cannot confine a browser.
    case notConfined = "browser_not_confined"
    /// The browser of the sign-in window does not know a policy on which Baton relies.
    case policyUnknown = "browser_policy_unknown"
    /// The worker's browser, if it is a different one, does not know a policy on which Baton relies. Workers can sign
    /// in.
    case workersPolicyUnknown = "workers_browser_policy_unknown"

    /// Whether nobody can sign in.
    package var preventsSignIn: Bool { self != .workersPolicyUnknown }

    /// Converts the failure code with which the agent answered an order.
    ///
    /// - Returns: nil if the failure does not prevent other pages from opening.
    package init?(code: String, isPage: Bool) {
        switch AgentFailure.Code(rawValue: code) {
        case .confinementUnavailable: self = .notConfined
        case .policyUnknown: self = isPage ? .workersPolicyUnknown : .policyUnknown
        default: return nil
        }
    }
}
