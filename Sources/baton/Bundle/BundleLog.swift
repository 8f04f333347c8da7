// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
import DeviceSettings
import FoundationEssentials
internal import JSON

/// The last lines of a broker's log, limited to content that a bundle may contain.
struct BundleLog: Encodable {
    struct Line: Encodable {
        let time: String
        let level: String
        let message: String
        let values: [String: String]
    }

    /// The lines, the oldest first.
    let lines: [Line]
    /// How many lines were left out because their level or message is not permitted, or their format is unexpected.
    let omitted: Int

    /// How many lines are read.
    static let maximum = 500

    private static let levels: Set<String> = ["trace", "debug", "info", "notice", "warning", "error", "critical"]
    /// Metadata keys with their permitted values.
    private static let words: [String: Set<String>] = [
        "session.state": ["ready", "signingIn", "signedIn", "signingOut"],
        "session.trigger": Set(SignOutTrigger.allCases.map(\.rawValue)),
        "registration.state": Set(RegistrationStatus.State.allCases.map(\.rawValue)),
        "departure.kind": ["leave", "reset"],
    ]
    /// Metadata keys whose values are numbers.
    private static let numbers: Set<String> = ["error.code", "oauth.number", "http.status", "leases", "leases.pins"]

    init(_ text: String) {
        let all = text.split(separator: "\n").suffix(Self.maximum)
        lines = all.compactMap(Self.line)
        omitted = all.count - lines.count
    }

    /// Parses `<time> <level> <label>: <key>=<value> … [<module>] <message>`. Returns nil for any other format, or if
    /// the level or the message is not permitted. Omits metadata that is not permitted.
    private static func line(_ text: Substring) -> Line? {
        if text.hasPrefix("{") { return object(text) }
        guard let bracket = text.ranges(of: "] ").last, let colon = text.firstRange(of: ": ") else { return nil }
        let message = String(text[bracket.upperBound...])
        let head = text[..<colon.lowerBound].split(separator: " ")
        guard BundleLogMessages.known.contains(message), head.count == 3, levels.contains(String(head[1])),
            isTime(head[0]), colon.upperBound <= bracket.lowerBound
        else { return nil }
        var values: [(String, String)] = []
        for pair in text[colon.upperBound..<bracket.lowerBound].split(separator: " ") {
            let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { continue }
            values.append((parts[0], parts[1]))
        }
        return Line(time: String(head[0]), level: String(head[1]), message: message, values: permitted(values))
    }

    /// Parses a line of a log in JSON; see ``JSONLogHandler``. Returns nil in the same cases as ``line(_:)``.
    private static func object(_ text: Substring) -> Line? {
        let value = try? JSONReader.read(Array(text.utf8), limits: JSONLimits(bytes: 64 << 10, depth: 2, values: 64))
        guard let members = value?.object, let message = members["message"]?.string,
            let level = members["level"]?.string, let time = members["time"]?.string,
            BundleLogMessages.known.contains(message), levels.contains(level), isTime(time)
        else { return nil }
        var values = (members["values"]?.object ?? [:]).compactMap { name, value in value.string.map { (name, $0) } }
        // In every message, the handler writes the error code under the same name, outside the other values.
        if let code = members["code"]?.string { values.append(("error.code", code)) }
        return Line(time: time, level: level, message: message, values: permitted(values))
    }

    private static func isTime(_ text: some StringProtocol) -> Bool {
        text.utf8.count <= 32 && text.utf8.allSatisfy { "0123456789-+:T.Z".utf8.contains($0) }
    }

    private static func permitted(_ values: [(String, String)]) -> [String: String] {
        let permitted = values.filter { name, value in
            numbers.contains(name) && Int(value) != nil || words[name]?.contains(value) == true
        }
        return Dictionary(permitted) { $1 }
    }
}
