// SPDX-License-Identifier: Apache-2.0
package import JSON

/// A map from string to string. The request and the response of every operation are such maps.
///
/// All values are strings: booleans are `"1"` and `"0"`, numbers are decimal. Reading is as lenient as Microsoft's
/// clients require (an unreadable optional value counts as absent), but strict about required values.
package struct FlatMap: Sendable, Equatable {
    private var members: SortedMembers<String>

    package init() { members = SortedMembers() }

    package init(_ entries: [String: String]) {
        members = SortedMembers(capacity: entries.count)
        for (key, value) in entries { members[key] = value }
    }

    /// If a key occurs more than once, its last value counts.
    package init(_ entries: KeyValuePairs<Key, String>) {
        // Leaves room for the common entries, which callers add.
        members = SortedMembers(capacity: entries.count + 12)
        for (key, value) in entries { members[key.rawValue] = value }
    }

    /// All entries.
    package var entries: [String: String] {
        Dictionary(members.all.lazy.map { ($0.key, $0.value) }) { first, _ in first }
    }

    package subscript(key: Key) -> String? {
        get { members[key.rawValue] }
        set { members[key.rawValue] = newValue }
    }

    /// Returns the value for `key`, which must be present and not empty.
    ///
    /// - Throws: ``BrokerError`` -51111 with the name of the key.
    package func required(_ key: Key) throws(BrokerError) -> String {
        guard let value = self[key], !value.isEmpty else { throw .missing(key) }
        return value
    }

    /// Returns the value for `key`; nil if it is missing or empty.
    package func text(_ key: Key) -> String? { self[key].flatMap { $0.isEmpty ? nil : $0 } }

    /// Returns the flag that a response has for `key`: true if the value begins with `Y`, `y`, `T`, `t` or a digit from 1
    /// to 9; `fallback` if the value is missing or empty.
    package func flag(_ key: Key, default fallback: Bool) -> Bool {
        guard let first = self[key]?.utf8.first else { return fallback }
        return "YyTt123456789".utf8.contains(first)
    }

    /// Returns the Boolean that a request has for `key`: `1` or `0`. False if the value is missing or empty.
    ///
    /// - Throws: ``BrokerError`` -51112 for another value.
    package func boolean(_ key: Key) throws(BrokerError) -> Bool {
        switch self[key] {
        case "1": return true
        case "0", "", nil: return false
        default: throw BrokerError(.developerParameter, "\(key.rawValue) is neither 1 nor 0. Send one of them.")
        }
    }

    package mutating func set(_ key: Key, flag: Bool) { self[key] = flag ? "1" : "0" }

    /// Returns the words of the value for `key`, split at spaces.
    package func words(_ key: Key) -> [String] {
        guard let text = self[key], !text.isEmpty else { return [] }
        // Most values are a single word.
        guard text.utf8.contains(UInt8(ascii: " ")) else { return [text] }
        return text.utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
    }

    /// Returns the form-encoded pairs of the value for `key`.
    ///
    /// - Throws: ``BrokerError`` -51112 if they cannot be read.
    package func query(_ key: Key) throws(BrokerError) -> [String: String] {
        guard let text = self[key] else { return [:] }
        guard let parameters = QueryText.parameters(text) else {
            throw BrokerError(
                .developerParameter,
                "\(key.rawValue) cannot be read. Send at most 32 form-encoded pairs, each key once.")
        }
        return parameters
    }

    /// Whether the map fits into one frame: neither a single value nor all values together exceed their limits.
    package var fitsFrame: Bool {
        let lengths = members.all.lazy.map(\.value.utf8.count)
        return lengths.allSatisfy { $0 <= Wire.envelopeLimits.stringBytes }
            && lengths.reduce(0, +) <= Wire.maximumParameters
    }

    /// The number of bytes in all keys and values.
    package var byteCount: Int { members.all.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count } }

    /// Adds the entries of `other`, which replace existing entries.
    package mutating func merge(_ other: FlatMap) {
        for entry in other.members.all { members[entry.key] = entry.value }
    }
}

extension FlatMap {
    /// The map as JSON.
    package var json: JSONValue { .object(entries.mapValues { .string($0) }) }

    /// Writes the map as a member of an envelope, sorted by key.
    func write(as name: String, to writer: inout JSONWriter) {
        writer.append(name: name)
        writer.beginObject()
        for entry in members.all {
            writer.append(name: entry.key)
            writer.append(entry.value)
        }
        writer.endObject()
    }

    /// The length of the map in an envelope if no character is escaped, plus room for the rest of the envelope.
    var envelopeByteCount: Int { byteCount + 6 * members.all.count + 256 }

    /// Parses `bytes`, which must contain a map and nothing else.
    ///
    /// - Throws: ``JSONFailure``
    package init(bytes: [UInt8]) throws(JSONFailure) {
        self = try JSONReader.read(bytes, limits: Wire.envelopeLimits) { (reader) throws(JSONFailure) in
            try FlatMap(&reader)
        }
    }

    /// Reads a map from an envelope: strings are kept, integers and booleans become strings, all other values are
    /// ignored.
    ///
    /// - Throws: ``JSONFailure``, for example if the next value is not an object.
    init(_ reader: inout JSONReader) throws(JSONFailure) {
        var members = SortedMembers<String?>(capacity: 32)
        try reader.members { (reader, key) throws(JSONFailure) in
            let text: String? =
                switch try reader.value() {
                case .string(let text): text
                case .integer(let integer): String(integer)
                case .bool(let truth): truth ? "1" : "0"
                case .null, .number, .array, .object: nil
                }
            return members.add(text, forKey: key)
        }
        self.members = members.compactMapValues(\.self)
    }
}
