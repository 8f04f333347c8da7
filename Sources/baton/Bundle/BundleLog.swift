// SPDX-License-Identifier: Apache-2.0
import BrokerDevice
internal import BrokerIPC
import FoundationEssentials

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
    /// How many lines were left out because their level or message is not on the lists, or their form is unexpected.
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

    /// Parses `<time> <level> <label>: <key>=<value> … [<module>] <message>`. Returns nil for any other form, or if the
    /// level or the message is not on the lists. Omits metadata that is not on the lists.
    private static func line(_ text: Substring) -> Line? {
        guard let bracket = text.ranges(of: "] ").last, let colon = text.firstRange(of: ": ") else { return nil }
        let message = String(text[bracket.upperBound...])
        let head = text[..<colon.lowerBound].split(separator: " ")
        guard BundleLogMessages.known.contains(message), head.count == 3, levels.contains(String(head[1])),
            head[0].utf8.count <= 32, head[0].utf8.allSatisfy({ "0123456789-+:T.Z".utf8.contains($0) }),
            colon.upperBound <= bracket.lowerBound
        else { return nil }
        var values: [String: String] = [:]
        for pair in text[colon.upperBound..<bracket.lowerBound].split(separator: " ") {
            let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { continue }
            let isNumber = numbers.contains(parts[0]) && Int(parts[1]) != nil
            if isNumber || words[parts[0]]?.contains(parts[1]) == true { values[parts[0]] = parts[1] }
        }
        return Line(time: String(head[0]), level: String(head[1]), message: message, values: values)
    }
}
