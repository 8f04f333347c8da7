// SPDX-License-Identifier: Apache-2.0

/// Hexadecimal digits (RFC 4648 section 8).
package enum Hexadecimal {
    /// Whether letters are written as `a` to `f` or as `A` to `F`.
    package enum Letters: Sendable {
        case lower, upper
    }

    /// Returns two digits for each byte.
    package static func text(_ bytes: some Sequence<UInt8>, _ letters: Letters = .lower) -> String {
        String(decoding: digits(bytes, letters), as: UTF8.self)
    }

    /// Returns the 16 digits of a number.
    package static func text(_ number: UInt64) -> String {
        text((0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) })
    }

    /// Returns two digits for each byte, as ASCII.
    package static func digits(_ bytes: some Sequence<UInt8>, _ letters: Letters = .lower) -> [UInt8] {
        var digits: [UInt8] = []
        digits.reserveCapacity(2 * bytes.underestimatedCount)
        for byte in bytes {
            digits.append(digit(byte >> 4, letters))
            digits.append(digit(byte & 15, letters))
        }
        return digits
    }

    /// Returns the bytes of a text that has two digits for each byte, in upper or lower case; nil for any other text.
    package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 2)
        var rest = text.utf8.makeIterator()
        while let first = rest.next() {
            guard let high = value(first), let low = rest.next().flatMap(value) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// Returns the value of a digit in ASCII, in upper or lower case; nil for any other character.
    @inlinable
    package static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Returns whether a character in ASCII is a hexadecimal digit: 0 to 9, or a letter in this case.
    @inlinable
    package static func isDigit(_ character: UInt8, _ letters: Letters) -> Bool {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "a")...UInt8(ascii: "f"): letters == .lower
        case UInt8(ascii: "A")...UInt8(ascii: "F"): letters == .upper
        default: false
        }
    }

    private static func digit(_ value: UInt8, _ letters: Letters) -> UInt8 {
        value < 10
            ? UInt8(ascii: "0") + value : (letters == .lower ? UInt8(ascii: "a") : UInt8(ascii: "A")) + value - 10
    }
}
