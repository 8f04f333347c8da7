// SPDX-License-Identifier: Apache-2.0

/// A word that `doors` of the configuration file and of the MDM's app configuration may have.
package enum DoorKey: String, Sendable, CaseIterable {
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

/// What somebody wants of the doors; what it leaves open stays as it is.
package struct DoorWishes: Sendable, Equatable {
    /// Each within its range.
    package private(set) var numbers: [DoorKey: Int] = [:]
    /// Minutes after midnight.
    package private(set) var shiftEnds: [Int]?

    package init() {}

    /// - Throws: ``DoorRefusal`` for a number out of its range.
    package mutating func set(_ key: DoorKey, _ number: Int) throws(DoorRefusal) {
        guard let range = key.range else { throw DoorRefusal(.malformed, key) }
        guard range.contains(number) else { throw DoorRefusal(.range, key) }
        numbers[key] = number
    }

    /// - Parameter times: as `14:00`.
    /// - Throws: ``DoorRefusal`` for one that is no time of the day.
    package mutating func setShiftEnds(_ times: [String]) throws(DoorRefusal) {
        var minutes: [Int] = []
        for time in times {
            guard let minute = Self.minute(time) else { throw DoorRefusal(.time, .shiftEnds) }
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

    /// The doors that follow where these wishes are fulfilled.
    package func applied(to base: DoorConfiguration) -> DoorConfiguration {
        DoorConfiguration(
            stay: StayRules(
                idle: numbers[.idle] ?? base.stay.idle, idleWarning: numbers[.idleWarning] ?? base.stay.idleWarning,
                shiftLength: numbers[.shiftLength] ?? base.stay.shiftLength,
                shiftEnds: shiftEnds ?? base.stay.shiftEnds),
            willEndPatience: numbers[.willEnd] ?? base.willEndPatience,
            eraserPatience: numbers[.erasers] ?? base.eraserPatience)
    }
}
