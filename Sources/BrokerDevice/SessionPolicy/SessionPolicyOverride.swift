// SPDX-License-Identifier: Apache-2.0

/// A word that `sessionPolicy` of the configuration file and of the MDM's app configuration may have.
package enum SessionPolicyKey: String, Sendable, CaseIterable {
    case idle, idleWarning, shiftLength, shiftEnds, willEnd, erasers

    /// What its number may be; nil for the list of times.
    package var range: ClosedRange<Int>? {
        switch self {
        case .idle: 0...86_400
        case .idleWarning: 0...3600
        case .shiftLength: 0...604_800
        case .willEnd: 0...10_000
        case .erasers: 0...60_000
        case .shiftEnds: nil
        }
    }
}

/// The keys of a session policy that are set; the others keep their values.
package struct SessionPolicyOverride: Sendable, Equatable {
    /// Each within its range.
    package private(set) var numbers: [SessionPolicyKey: Int] = [:]
    /// Minutes after midnight.
    package private(set) var shiftEnds: [Int]?

    package init() {}

    /// - Throws: ``SessionPolicyError`` for a number out of its range.
    package mutating func set(_ key: SessionPolicyKey, _ number: Int) throws(SessionPolicyError) {
        guard let range = key.range else { throw SessionPolicyError(.malformed, key) }
        guard range.contains(number) else { throw SessionPolicyError(.range, key) }
        numbers[key] = number
    }

    /// - Parameter times: as `14:00`.
    /// - Throws: ``SessionPolicyError`` for one that is no time of the day.
    package mutating func setShiftEnds(_ times: [String]) throws(SessionPolicyError) {
        var minutes: [Int] = []
        for time in times {
            guard let minute = Self.minute(time) else { throw SessionPolicyError(.time, .shiftEnds) }
            minutes.append(minute)
        }
        shiftEnds = minutes
    }

    private static func minute(_ text: String) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard text.utf8.count == 5, parts.count == 2, let hour = Int(parts[0]), let minute = Int(parts[1]),
            (0...23).contains(hour), (0...59).contains(minute)
        else { return nil }
        return hour * 60 + minute
    }

    /// The policy `base` with the keys that are set here.
    package func applied(to base: SessionPolicy) -> SessionPolicy {
        SessionPolicy(
            timeouts: SessionTimeouts(
                idle: numbers[.idle] ?? base.timeouts.idle,
                idleWarning: numbers[.idleWarning] ?? base.timeouts.idleWarning,
                shiftLength: numbers[.shiftLength] ?? base.timeouts.shiftLength,
                shiftEnds: shiftEnds ?? base.timeouts.shiftEnds),
            willEndPatience: numbers[.willEnd] ?? base.willEndPatience,
            eraserPatience: numbers[.erasers] ?? base.eraserPatience)
    }
}
