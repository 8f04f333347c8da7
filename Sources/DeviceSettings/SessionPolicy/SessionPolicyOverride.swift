// SPDX-License-Identifier: Apache-2.0

/// A key of `sessionPolicy`, in the configuration file and in the MDM's app configuration.
package enum SessionPolicyKey: String, Sendable, CaseIterable {
    case idle, idleWarning, shiftLength, shiftEnds, willEnd, unsavedWork, erasers

    /// The range of the key's number; nil for `shiftEnds`, whose value is a list of times.
    package var range: ClosedRange<Int>? {
        switch self {
        case .idle: 0...86_400
        case .idleWarning: 0...3600
        case .shiftLength: 0...604_800
        case .willEnd: 0...10_000
        case .unsavedWork: 0...30_000
        case .erasers: 0...60_000
        case .shiftEnds: nil
        }
    }
}

/// Values for some keys of a session policy. The other keys keep their values.
package struct SessionPolicyOverride: Sendable, Equatable {
    /// The numbers, each within its range.
    package private(set) var numbers: [SessionPolicyKey: Int] = [:]
    /// Minutes after midnight.
    package private(set) var shiftEnds: [Int]?

    package init() {}

    /// - Throws: ``SessionPolicyError`` if the number is out of its range.
    package mutating func set(_ key: SessionPolicyKey, _ number: Int) throws(SessionPolicyError) {
        guard let range = key.range else { throw SessionPolicyError(.malformed, key) }
        guard range.contains(number) else { throw SessionPolicyError(.range, key) }
        numbers[key] = number
    }

    /// - Parameter times: times of day in the format `14:00`.
    /// - Throws: ``SessionPolicyError`` if one of them is not a time of day.
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

    /// Returns `base` with the values that are set here.
    package func applied(to base: SessionPolicy) -> SessionPolicy {
        SessionPolicy(
            timeouts: SessionTimeouts(
                idle: numbers[.idle] ?? base.timeouts.idle,
                idleWarning: numbers[.idleWarning] ?? base.timeouts.idleWarning,
                shiftLength: numbers[.shiftLength] ?? base.timeouts.shiftLength,
                shiftEnds: shiftEnds ?? base.timeouts.shiftEnds),
            willEndPatience: numbers[.willEnd] ?? base.willEndPatience,
            unsavedWorkPatience: numbers[.unsavedWork] ?? base.unsavedWorkPatience,
            eraserPatience: numbers[.erasers] ?? base.eraserPatience)
    }
}
