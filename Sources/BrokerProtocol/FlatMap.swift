// SPDX-License-Identifier: Apache-2.0
package import JSON

/// The string-to-string map that every operation's request and response is.
///
/// Values are texts on the wire: booleans are `"1"` and `"0"`, numbers decimal. Reading is as lenient as Microsoft's
/// clients need (an unreadable optional value counts as absent), and strict about what is required.
package struct FlatMap: Sendable, Equatable {
    package private(set) var entries: [String: String]

    package init(_ entries: [String: String] = [:]) { self.entries = entries }

    package init(_ entries: [Key: String]) {
        self.entries = Dictionary(uniqueKeysWithValues: entries.map { ($0.key.rawValue, $0.value) })
    }

    package subscript(key: Key) -> String? {
        get { entries[key.rawValue] }
        set { entries[key.rawValue] = newValue }
    }

    /// The value under `key`, which a request must hold and which may not be blank.
    ///
    /// - Throws: ``BrokerError`` -51111 that names the key.
    package func required(_ key: Key) throws(BrokerError) -> String {
        guard let value = self[key], !value.isEmpty else { throw .missing(key) }
        return value
    }

    /// The flag under `key`: true for a text that begins with `Y`, `y`, `T`, `t` or a digit from 1 to 9.
    package func flag(_ key: Key, default fallback: Bool) -> Bool {
        guard let first = self[key]?.first else { return fallback }
        return "YyTt123456789".contains(first)
    }

    package mutating func set(_ key: Key, flag: Bool) { self[key] = flag ? "1" : "0" }

    /// The words under `key`, split at blanks.
    package func words(_ key: Key) -> [String] {
        (self[key] ?? "").split(separator: " ").map(String.init)
    }

    /// The form-encoded pairs under `key`.
    ///
    /// - Throws: ``BrokerError`` -51112 where they cannot be read.
    package func query(_ key: Key) throws(BrokerError) -> [String: String] {
        guard let text = self[key] else { return [:] }
        guard let parameters = QueryText.parameters(text) else {
            throw BrokerError(
                .developerParameter, "\(key.rawValue) cannot be read. Send at most 32 form-encoded pairs, none twice.")
        }
        return parameters
    }

    /// Whether the other side takes it in one frame: no text is over its limit, nor are all of them together.
    package var fitsFrame: Bool {
        let lengths = entries.values.map(\.utf8.count)
        return lengths.allSatisfy { $0 <= Wire.envelopeLimits.stringBytes }
            && lengths.reduce(0, +) <= Wire.maximumParameters
    }

    /// Bytes of all keys and values.
    package var byteCount: Int { entries.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count } }

    /// Adds the entries of `other`, which win.
    package mutating func merge(_ other: FlatMap) {
        entries.merge(other.entries) { _, theirs in theirs }
    }
}

extension FlatMap {
    /// As JSON, for the envelope.
    package var json: JSONValue { .object(entries.mapValues { .string($0) }) }

    /// Reads the map out of an envelope: texts stay, numbers and booleans become texts, anything else is left out.
    package init(lenient value: JSONValue) {
        let members = value.object ?? [:]
        self.init(
            members.compactMapValues { value -> String? in
                switch value {
                case .string(let text): text
                case .integer(let integer): String(integer)
                case .bool(let truth): truth ? "1" : "0"
                case .null, .number, .array, .object: nil
                }
            })
    }
}
