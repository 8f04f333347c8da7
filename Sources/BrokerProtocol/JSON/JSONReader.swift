// SPDX-License-Identifier: Apache-2.0
internal import Redaction

/// Why bytes are not JSON that this protocol takes.
package enum JSONFailure: Error, Equatable {
    /// Not JSON (RFC 8259), seen at this byte.
    case malformed(offset: Int)
    /// A text of more bytes than the limit, or too many members, elements or levels.
    case overLimit(offset: Int)
    /// The same key twice in one object, which readers understand in different ways.
    case duplicateKey(offset: Int)
}

/// Reads one JSON text (RFC 8259), strictly and within limits; foreign bytes never trap it.
///
/// Written by hand because a general decoder costs more than the socket does; see docs/dependencies.md.
package struct JSONReader {
    /// What one text may hold.
    package struct Limits: Sendable {
        /// Levels of objects and lists.
        package var depth: Int
        /// Members of one object, or elements of one list.
        package var members: Int
        /// Bytes of one string, as they are written.
        package var stringBytes: Int

        package init(depth: Int, members: Int, stringBytes: Int) {
            self.depth = depth
            self.members = members
            self.stringBytes = stringBytes
        }
    }

    private let bytes: [UInt8]
    private let limits: Limits
    private var position = 0

    private init(_ bytes: [UInt8], limits: Limits) {
        self.bytes = bytes
        self.limits = limits
    }

    /// Reads the whole of `bytes` as one value.
    ///
    /// - Throws: ``JSONFailure``.
    package static func read(_ bytes: [UInt8], limits: Limits) throws(JSONFailure) -> JSONValue {
        var reader = JSONReader(bytes, limits: limits)
        reader.skipBlanks()
        let value = try reader.value(depth: 0)
        reader.skipBlanks()
        guard reader.position == bytes.count else { throw .malformed(offset: reader.position) }
        return value
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipBlanks() {
        while let byte = next, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { position += 1 }
    }

    private mutating func expect(_ byte: UInt8) throws(JSONFailure) {
        guard next == byte else { throw .malformed(offset: position) }
        position += 1
    }

    private mutating func value(depth: Int) throws(JSONFailure) -> JSONValue {
        guard depth < limits.depth else { throw .overLimit(offset: position) }
        switch next {
        case UInt8(ascii: "{"): return .object(try object(depth: depth))
        case UInt8(ascii: "["): return .array(try array(depth: depth))
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

    private mutating func object(depth: Int) throws(JSONFailure) -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        try expect(UInt8(ascii: "{"))
        skipBlanks()
        if next == UInt8(ascii: "}") {
            position += 1
            return members
        }
        while true {
            skipBlanks()
            let start = position
            let key = try string()
            guard members[key] == nil else { throw .duplicateKey(offset: start) }
            guard members.count < limits.members else { throw .overLimit(offset: start) }
            skipBlanks()
            try expect(UInt8(ascii: ":"))
            skipBlanks()
            members[key] = try value(depth: depth + 1)
            skipBlanks()
            guard next == UInt8(ascii: ",") else { break }
            position += 1
        }
        try expect(UInt8(ascii: "}"))
        return members
    }

    private mutating func array(depth: Int) throws(JSONFailure) -> [JSONValue] {
        var elements: [JSONValue] = []
        try expect(UInt8(ascii: "["))
        skipBlanks()
        if next == UInt8(ascii: "]") {
            position += 1
            return elements
        }
        while true {
            guard elements.count < limits.members else { throw .overLimit(offset: position) }
            skipBlanks()
            elements.append(try value(depth: depth + 1))
            skipBlanks()
            guard next == UInt8(ascii: ",") else { break }
            position += 1
        }
        try expect(UInt8(ascii: "]"))
        return elements
    }

    private mutating func number() throws(JSONFailure) -> JSONValue {
        let start = position
        if next == UInt8(ascii: "-") { position += 1 }
        let digits = try digits()
        guard digits.count == 1 || digits.first != UInt8(ascii: "0") else { throw .malformed(offset: start) }
        var whole = true
        if next == UInt8(ascii: ".") {
            whole = false
            position += 1
            _ = try self.digits()
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            whole = false
            position += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
            _ = try self.digits()
        }
        guard position - start <= limits.stringBytes else { throw .overLimit(offset: start) }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if whole, let integer = Int(text) { return .integer(integer) }
        guard let number = Double(text), number.isFinite else { throw .overLimit(offset: start) }
        return .number(number)
    }

    private mutating func digits() throws(JSONFailure) -> ArraySlice<UInt8> {
        let start = position
        while let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { position += 1 }
        guard position > start else { throw .malformed(offset: position) }
        return bytes[start..<position]
    }

    private mutating func string() throws(JSONFailure) -> String {
        try expect(UInt8(ascii: "\""))
        let start = position
        var text: [UInt8] = []
        defer { wipe(&text) }
        while let byte = next, byte != UInt8(ascii: "\"") {
            guard position - start < limits.stringBytes else { throw .overLimit(offset: start) }
            guard byte >= 0x20 else { throw .malformed(offset: position) }
            position += 1
            if byte == UInt8(ascii: "\\") {
                try escape(into: &text)
            } else {
                text.append(byte)
            }
        }
        try expect(UInt8(ascii: "\""))
        guard let string = String(validating: text, as: UTF8.self) else { throw .malformed(offset: start) }
        return string
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONFailure) {
        let start = position
        guard let byte = next else { throw .malformed(offset: start) }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0c)
        case UInt8(ascii: "n"): text.append(0x0a)
        case UInt8(ascii: "r"): text.append(0x0d)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text.append(contentsOf: String(try scalar(start)).utf8)
        default: throw .malformed(offset: start)
        }
    }

    private mutating func scalar(_ start: Int) throws(JSONFailure) -> Unicode.Scalar {
        let first = try codeUnit()
        guard UTF16.isLeadSurrogate(first) else {
            guard let scalar = Unicode.Scalar(first) else { throw .malformed(offset: start) }
            return scalar
        }
        try expect(UInt8(ascii: "\\"))
        try expect(UInt8(ascii: "u"))
        let second = try codeUnit()
        guard UTF16.isTrailSurrogate(second) else { throw .malformed(offset: start) }
        let value = 0x10000 + (UInt32(first) - 0xd800) << 10 + (UInt32(second) - 0xdc00)
        guard let scalar = Unicode.Scalar(value) else { throw .malformed(offset: start) }
        return scalar
    }

    private mutating func codeUnit() throws(JSONFailure) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
                throw .malformed(offset: position)
            }
            value = value << 4 | UInt16(digit)
            position += 1
        }
        return value
    }
}
