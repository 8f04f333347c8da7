// SPDX-License-Identifier: Apache-2.0

/// Why the agent did not do what it was asked; holds neither page nor person.
package struct AgentFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// Stable words for other programs.
    package enum Code: String, Sendable {
        case invalidURL = "invalid_url"
        case otherEpochOpen = "other_epoch_open"
        case notCleared = "not_cleared"
        case profileMounted = "profile_mounted"
        case profileUnavailable = "profile_unavailable"
        case browserUnavailable = "browser_unavailable"
        case alreadyRunning = "already_running"
    }

    package let code: Code
    /// Cause and remedy in one or two sentences.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package static func == (left: AgentFailure, right: AgentFailure) -> Bool { left.code == right.code }

    package var description: String { "\(code.rawValue): \(message)" }
}
