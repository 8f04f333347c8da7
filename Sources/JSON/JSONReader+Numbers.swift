// SPDX-License-Identifier: Apache-2.0

/// Numbers (RFC 8259 section 6).
extension JSONReader {
    /// Parses a number: ``JSONValue/integer(_:)`` if it is written as an integer and fits into Int, otherwise a Double.
    mutating func number() throws(JSONFailure) -> JSONValue {
        let start = position
        if next == UInt8(ascii: "-") { position += 1 }
        let first = position
        try digits()
        guard bytes[first] != UInt8(ascii: "0") || position == first + 1 else {
            throw JSONFailure(.malformed, at: start)
        }
        let isWhole = try !fractionOrExponent()
        guard position - start <= JSONLimits.numberBytes else { throw JSONFailure(.textTooLong, at: start) }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isWhole, let integer = Int(text) { return .integer(integer) }
        guard let number = Double(text), number.isFinite else { throw JSONFailure(.numberTooLarge, at: start) }
        return .number(number)
    }

    private mutating func fractionOrExponent() throws(JSONFailure) -> Bool {
        let start = position
        if next == UInt8(ascii: ".") {
            position += 1
            try digits()
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            position += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
            try digits()
        }
        return position > start
    }

    private mutating func digits() throws(JSONFailure) {
        let start = position
        while let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { position += 1 }
        guard position > start else { throw malformed }
    }
}
