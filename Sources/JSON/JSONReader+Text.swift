// SPDX-License-Identifier: Apache-2.0
internal import Encodings
internal import Redaction

/// Strings (RFC 8259 section 7).
extension JSONReader {
    mutating func string() throws(JSONFailure) -> String {
        try expect(UInt8(ascii: "\""))
        let start = position
        try skipPlain(from: start)
        guard next != UInt8(ascii: "\"") else {
            let string = try Self.text(bytes.span.extracting(start..<position), at: start)
            position += 1
            return string
        }
        return try escapedString(from: start)
    }

    /// Skips to the next quotation mark or escape.
    private mutating func skipPlain(from start: Int) throws(JSONFailure) {
        let end = unsafe PlainText.end(of: bytes.span.bytes, from: position)
        position = end
        guard end < bytes.count, bytes[end] >= 0x20 else { throw malformed }
        guard position - start <= limits.stringBytes else { throw JSONFailure(.textTooLong, at: start) }
    }

    /// Parses to its end the string that begins at `start` and contains an escape. Wipes the buffer, because the string
    /// may be a password; the buffer never grows, because that would leave a copy.
    private mutating func escapedString(from start: Int) throws(JSONFailure) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(min(bytes.count - start, limits.stringBytes))
        defer { wipe(&text) }
        text += bytes[start..<position]
        while next == UInt8(ascii: "\\") {
            position += 1
            try escape(into: &text)
            let plain = position
            try skipPlain(from: start)
            text += bytes[plain..<position]
        }
        try expect(UInt8(ascii: "\""))
        return try Self.text(text.span, at: start)
    }

    private static func text(_ bytes: Span<UInt8>, at start: Int) throws(JSONFailure) -> String {
        do throws(UTF8.ValidationError) { return String(copying: try UTF8Span(validating: bytes)) } catch {
            throw JSONFailure(.notUTF8, at: start)
        }
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONFailure) {
        guard let byte = next else { throw malformed }
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0c)
        case UInt8(ascii: "n"): text.append(0x0a)
        case UInt8(ascii: "r"): text.append(0x0d)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): return text.append(contentsOf: String(try scalar()).utf8)
        default: throw malformed
        }
        position += 1
    }

    /// Returns the character of `uXXXX`, or of two such escapes that form a surrogate pair. An unpaired surrogate is an
    /// error.
    private mutating func scalar() throws(JSONFailure) -> Unicode.Scalar {
        let start = position
        let first = try codeUnit()
        guard UTF16.isLeadSurrogate(first) else {
            guard let scalar = Unicode.Scalar(first) else { throw JSONFailure(.malformed, at: start) }
            return scalar
        }
        try expect(UInt8(ascii: "\\"))
        let second = try codeUnit()
        guard UTF16.isTrailSurrogate(second) else { throw JSONFailure(.malformed, at: start) }
        let value = 0x10000 + (UInt32(first) - 0xd800) << 10 + (UInt32(second) - 0xdc00)
        guard let scalar = Unicode.Scalar(value) else { throw JSONFailure(.malformed, at: start) }
        return scalar
    }

    private mutating func codeUnit() throws(JSONFailure) -> UInt16 {
        try expect(UInt8(ascii: "u"))
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = next.flatMap(Hexadecimal.value) else { throw malformed }
            value = value << 4 | UInt16(digit)
            position += 1
        }
        return value
    }
}
