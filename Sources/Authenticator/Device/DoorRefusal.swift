// SPDX-License-Identifier: Apache-2.0

/// Why what somebody wants of the doors is not done: none of it is, and what held before goes on.
package struct DoorRefusal: Error, Sendable, Equatable {
    /// Stable codes, each with a cause and a remedy.
    package enum Code: String, Sendable, CaseIterable {
        case malformed = "doors_malformed"
        case unknown = "doors_unknown"
        case range = "doors_range"
        case time = "doors_time"
        case endless = "doors_endless"
        case hasty = "doors_hasty"
        case unwarned = "doors_unwarned"
    }

    package let code: Code
    /// The word that is meant.
    package let key: String

    init(_ code: Code, _ key: DoorKey) { self.init(code, key.rawValue) }

    package init(_ code: Code, _ key: String) {
        self.code = code
        self.key = key
    }

    package var message: String {
        switch code {
        case .malformed: "doors.\(key) is neither a whole number nor, for shiftEnds, a list of times."
        case .unknown: "doors.\(key) is no word that there is."
        case .range: "doors.\(key) is not within \(bounds)."
        case .time: "doors.shiftEnds has something that is no time of the day."
        case .endless: "Neither an idle time nor the end of a shift ever ends a session."
        case .hasty: "The idle time is shorter than \(DoorConfiguration.shortestIdle) seconds: nobody could work."
        case .unwarned: "The warning comes as early as the idle time begins."
        }
    }

    package var remedy: String {
        switch code {
        case .malformed, .range: "Give a whole number of that size, or leave doors.\(key) out."
        case .unknown: "Known are \(DoorKey.allCases.map(\.rawValue).joined(separator: ", "))."
        case .time: "Write it as 14:00."
        case .endless: "Set doors.idle, doors.shiftLength or doors.shiftEnds."
        case .hasty: "Set doors.idle to \(DoorConfiguration.shortestIdle) or more."
        case .unwarned: "Set doors.idleWarning to less than doors.idle."
        }
    }

    private var bounds: String {
        DoorKey(rawValue: key)?.range.map { "\($0.lowerBound) to \($0.upperBound)" } ?? "its bounds"
    }
}
