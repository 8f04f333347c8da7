// SPDX-License-Identifier: Apache-2.0

/// Why a session policy is refused. A refused policy never takes effect.
package struct SessionPolicyError: Error, Sendable, Equatable {
    /// Stable codes. Each has a cause and a remedy.
    package enum Code: String, Sendable, CaseIterable {
        case malformed = "session_policy_malformed"
        case unknown = "session_policy_unknown"
        case range = "session_policy_range"
        case time = "session_policy_time"
        case endless = "session_policy_endless"
        case hasty = "session_policy_hasty"
        case unwarned = "session_policy_unwarned"
        case renamed = "session_policy_renamed"
    }

    package let code: Code
    /// The key with the error.
    package let key: String

    init(_ code: Code, _ key: SessionPolicyKey) { self.init(code, key.rawValue) }

    package init(_ code: Code, _ key: String) {
        self.code = code
        self.key = key
    }

    package var message: String {
        switch code {
        case .malformed: "sessionPolicy.\(key) is neither a whole number nor, for shiftEnds, a list of times."
        case .unknown: "sessionPolicy.\(key) is unknown."
        case .range: "sessionPolicy.\(key) is not within \(bounds)."
        case .time: "sessionPolicy.shiftEnds contains a value that is not a time of day."
        case .endless: "Neither an idle time nor the end of a shift ever ends a session."
        case .hasty:
            "The idle time is shorter than \(SessionPolicy.shortestIdle) seconds, which is too short to work with."
        case .unwarned: "The warning time is not shorter than the idle time."
        case .renamed: "\(key) is now called sessionPolicy."
        }
    }

    package var remedy: String {
        switch code {
        case .malformed: "Give a whole number, or a list of times for shiftEnds, or leave sessionPolicy.\(key) out."
        case .range: "Give a whole number within these bounds, or leave sessionPolicy.\(key) out."
        case .unknown: "The known keys are \(SessionPolicyKey.allCases.map(\.rawValue).joined(separator: ", "))."
        case .time: "Write each time in the form 14:00."
        case .endless: "Set sessionPolicy.idle, sessionPolicy.shiftLength or sessionPolicy.shiftEnds."
        case .hasty: "Set sessionPolicy.idle to \(SessionPolicy.shortestIdle) or more."
        case .unwarned: "Set sessionPolicy.idleWarning to less than sessionPolicy.idle."
        case .renamed: "Rename the key."
        }
    }

    private var bounds: String {
        SessionPolicyKey(rawValue: key)?.range.map { "\($0.lowerBound) to \($0.upperBound)" } ?? "its bounds"
    }
}
