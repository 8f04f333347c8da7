// SPDX-License-Identifier: Apache-2.0
import Authenticator

/// The object `doors` of the configuration file: by which doors a session ends by itself, and what apps get of time.
struct DoorSettings: Decodable {
    let configuration: DoorConfiguration

    private enum Key: String, CodingKey, CaseIterable {
        case idle, idleWarning, shiftLength, shiftEnds, willEnd, erasers
    }

    init(from decoder: any Decoder) throws {
        let unknown = try decoder.container(keyedBy: BatondConfiguration.AnyKey.self).allKeys
            .map(\.stringValue).filter { Key(rawValue: $0) == nil }.sorted()
        guard unknown.isEmpty else {
            throw ConfigurationError(
                file: "", cause: "unknown keys in doors: \(unknown.joined(separator: ", "))",
                remedy: "Known keys: \(Key.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        let values = try decoder.container(keyedBy: Key.self)
        func number(_ key: Key, _ range: ClosedRange<Int>, otherwise standard: Int) throws -> Int {
            let value = try values.decodeIfPresent(Int.self, forKey: key) ?? standard
            guard range.contains(value) else {
                throw ConfigurationError(
                    file: "",
                    cause: "doors.\(key.rawValue) (\(value)) is not between \(range.lowerBound) and "
                        + "\(range.upperBound)", remedy: "Leave it out for \(standard).")
            }
            return value
        }
        let standard = DoorConfiguration.standard
        let idle = try number(.idle, 0...86_400, otherwise: standard.stay.idle)
        let ends = try values.decodeIfPresent([String].self, forKey: .shiftEnds) ?? []
        configuration = DoorConfiguration(
            stay: StayRules(
                idle: idle, idleWarning: try number(.idleWarning, 0...3600, otherwise: standard.stay.idleWarning),
                shiftLength: try number(.shiftLength, 0...604_800, otherwise: standard.stay.shiftLength),
                shiftEnds: try ends.map(Self.minute)),
            willEndPatience: try number(.willEnd, 0...10_000, otherwise: standard.willEndPatience),
            eraserPatience: try number(.erasers, 0...60_000, otherwise: standard.eraserPatience))
    }

    /// Minutes after midnight of `HH:MM`.
    private static func minute(_ text: String) throws -> Int {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard text.utf8.count == 5, parts.count == 2, let hour = Int(parts[0]), let minute = Int(parts[1]),
            (0...23).contains(hour), (0...59).contains(minute)
        else {
            throw ConfigurationError(
                file: "", cause: "doors.shiftEnds (\(text)) is no time of the day", remedy: "Write it as 14:00.")
        }
        return hour * 60 + minute
    }
}
