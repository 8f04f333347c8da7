// SPDX-License-Identifier: Apache-2.0

/// Writes one JSON text (RFC 8259), either as one complete value or, in performance-critical code, piece by piece.
package struct JSONWriter {
    /// The UTF-8 bytes written so far.
    package private(set) var bytes: [UInt8] = []
    /// Whether no comma is needed before the next value or name: at the start of an object or array, and after a name.
    private var isFirst = true

    package init() {}

    /// Makes a writer with room for a text of about `byteCount` bytes.
    package init(byteCount: Int) { bytes.reserveCapacity(byteCount) }

    /// Returns the UTF-8 bytes of `value` with sorted keys, so that equal values give equal bytes.
    package static func write(_ value: JSONValue) -> [UInt8] {
        var writer = JSONWriter()
        writer.append(value)
        return writer.bytes
    }

    /// Returns the UTF-8 bytes of an `Encodable` value with sorted keys, so that equal values give equal bytes.
    ///
    /// - Throws: `EncodingError` for a number that ``JSONReader`` could not read, or the value's own error.
    package static func encode(_ value: some Encodable) throws -> [UInt8] {
        let encoder = ValueEncoder()
        try value.encode(to: encoder)
        return write(encoder.value)
    }

    /// Returns `value` as JSON text.
    package static func text(_ value: JSONValue) -> String {
        String(decoding: write(value), as: UTF8.self)
    }

    package mutating func beginObject() { begin(UInt8(ascii: "{")) }
    package mutating func endObject() { end(UInt8(ascii: "}")) }
    package mutating func beginList() { begin(UInt8(ascii: "[")) }
    package mutating func endList() { end(UInt8(ascii: "]")) }

    /// Writes a member's name; its value must follow.
    package mutating func append(name: String) {
        append(name)
        bytes.append(UInt8(ascii: ":"))
        isFirst = true
    }

    package mutating func append(_ text: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        let plain = unsafe text.utf8Span.span.bytes
        guard PlainText.end(of: plain, from: 0) < plain.byteCount else {
            unsafe plain.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
            bytes.append(UInt8(ascii: "\""))
            return
        }
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0..<0x20: escape(control: byte)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    package mutating func append(_ integer: Int) { append(literal: String(integer)) }
    package mutating func append(_ truth: Bool) { append(literal: truth ? "true" : "false") }
    package mutating func appendNull() { append(literal: "null") }

    /// Writes a number; infinity and NaN become null, because JSON cannot represent them.
    package mutating func append(_ number: Double) {
        append(literal: number.isFinite ? number.description : "null")
    }

    /// Writes a value; the keys of objects are sorted.
    package mutating func append(_ value: JSONValue) {
        switch value {
        case .null: appendNull()
        case .bool(let truth): append(truth)
        case .integer(let integer): append(integer)
        case .number(let number): append(number)
        case .string(let text): append(text)
        case .array(let elements):
            beginList()
            for element in elements { append(element) }
            endList()
        case .object(let members):
            beginObject()
            for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                append(name: name)
                append(value)
            }
            endObject()
        }
    }

    /// Writes the complete value that another writer contains.
    package mutating func append(_ other: JSONWriter) {
        separate()
        bytes += other.bytes
    }

    private mutating func separate() {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
    }

    private mutating func begin(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        isFirst = true
    }

    private mutating func end(_ bracket: UInt8) {
        bytes.append(bracket)
        isFirst = false
    }

    private mutating func append(literal: String) {
        separate()
        bytes.append(contentsOf: literal.utf8)
    }

    private mutating func escape(control byte: UInt8) {
        bytes.append(contentsOf: "\\u00".utf8)
        bytes.append(UInt8(ascii: "0") + byte >> 4)
        bytes.append(byte & 15 < 10 ? UInt8(ascii: "0") + byte & 15 : UInt8(ascii: "a") + byte & 15 - 10)
    }
}
