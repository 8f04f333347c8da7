// SPDX-License-Identifier: Apache-2.0

/// Parses one JSON text (RFC 8259), strictly and within limits. It never traps, whatever the input.
///
/// Keys of one object must also differ under Unicode's canonical equivalence, which Swift uses to compare strings. A
/// byte order mark is refused (RFC 8259 section 8.1).
package struct JSONReader {
    let bytes: [UInt8]
    let limits: JSONLimits
    var position = 0
    private var values = 0
    private var depth = 0

    private init(_ bytes: [UInt8], limits: JSONLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    /// Parses all of `bytes` as one value.
    ///
    /// - Throws: ``JSONFailure``.
    package static func read(_ bytes: [UInt8], limits: JSONLimits) throws(JSONFailure) -> JSONValue {
        try read(bytes, limits: limits) { (reader) throws(JSONFailure) in try reader.value() }
    }

    /// Lets `body` parse all of `bytes` as one value.
    ///
    /// - Throws: ``JSONFailure``.
    package static func read<Value>(
        _ bytes: [UInt8], limits: JSONLimits, _ body: (inout JSONReader) throws(JSONFailure) -> Value
    ) throws(JSONFailure) -> Value {
        guard bytes.count <= limits.bytes else { throw JSONFailure(.tooLong, at: limits.bytes) }
        var reader = JSONReader(bytes, limits: limits)
        reader.skipBlanks()
        let value = try body(&reader)
        reader.skipBlanks()
        guard reader.position == bytes.count else { throw reader.malformed }
        return value
    }

    /// Parses all of `bytes` as a value of a Swift type.
    ///
    /// A number must fit the requested type exactly. Foundation's `Data`, `Date` and `URL` are not supported, because
    /// encoders and decoders disagree about their representation.
    ///
    /// - Throws: ``JSONFailure``, or a `DecodingError`, which contains names and no content.
    package static func read<Value: Decodable>(
        _ type: Value.Type, from bytes: [UInt8], limits: JSONLimits
    ) throws -> Value {
        try Value(from: ValueDecoder(value: try read(bytes, limits: limits), codingPath: []))
    }

    var next: UInt8? { position < bytes.count ? bytes[position] : nil }
    var malformed: JSONFailure { JSONFailure(.malformed, at: position) }

    private mutating func skipBlanks() {
        while let byte = next, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { position += 1 }
    }

    mutating func expect(_ byte: UInt8) throws(JSONFailure) {
        guard next == byte else { throw malformed }
        position += 1
    }

    /// Whether the next value is an object.
    package var nextIsObject: Bool { next == UInt8(ascii: "{") }

    /// Parses the next value.
    ///
    /// - Throws: ``JSONFailure``.
    package mutating func value() throws(JSONFailure) -> JSONValue {
        guard !nextIsObject else { return .object(try object()) }
        try count()
        switch next {
        case UInt8(ascii: "["): return .array(try array())
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        default: return try number()
        }
    }

    private mutating func literal(_ text: StaticString, _ value: JSONValue) throws(JSONFailure) -> JSONValue {
        for byte in text.description.utf8 { try expect(byte) }
        return value
    }

    private mutating func count() throws(JSONFailure) {
        values += 1
        guard values <= limits.values else { throw JSONFailure(.tooMany, at: position) }
    }

    private mutating func object() throws(JSONFailure) -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        try self.members { (reader, key) throws(JSONFailure) in
            members.updateValue(try reader.value(), forKey: key) == nil
        }
        return members
    }

    /// Parses the next value, which must be an object, without building a tree of values: calls `body` with each key.
    /// `body` parses the key's value and returns false if the key occurred before.
    ///
    /// - Throws: ``JSONFailure``.
    package mutating func members(
        _ body: (inout JSONReader, String) throws(JSONFailure) -> Bool
    ) throws(JSONFailure) {
        try count()
        guard try begins(UInt8(ascii: "{"), ends: UInt8(ascii: "}")) else { return }
        repeat {
            skipBlanks()
            let start = position
            let key = try string()
            skipBlanks()
            try expect(UInt8(ascii: ":"))
            skipBlanks()
            guard try body(&self, key) else { throw JSONFailure(.duplicateKey, at: start) }
        } while try goesOn(until: UInt8(ascii: "}"))
    }

    private mutating func array() throws(JSONFailure) -> [JSONValue] {
        var elements: [JSONValue] = []
        guard try begins(UInt8(ascii: "["), ends: UInt8(ascii: "]")) else { return elements }
        repeat {
            skipBlanks()
            elements.append(try value())
        } while try goesOn(until: UInt8(ascii: "]"))
        return elements
    }

    /// Enters an object or array. If it is empty, skips it and returns false.
    private mutating func begins(_ first: UInt8, ends last: UInt8) throws(JSONFailure) -> Bool {
        guard depth < limits.depth else { throw JSONFailure(.tooDeep, at: position) }
        try expect(first)
        skipBlanks()
        guard next != last else {
            position += 1
            return false
        }
        depth += 1
        return true
    }

    /// Whether another member or element follows. If not, the object or array has ended.
    private mutating func goesOn(until last: UInt8) throws(JSONFailure) -> Bool {
        skipBlanks()
        guard next != UInt8(ascii: ",") else {
            position += 1
            return true
        }
        try expect(last)
        depth -= 1
        return false
    }
}
