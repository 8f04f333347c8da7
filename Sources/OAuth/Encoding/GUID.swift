// SPDX-License-Identifier: Apache-2.0

/// A 128-bit identifier, written in lower-case hexadecimal with hyphens.
package struct GUID: Sendable, Hashable, CustomStringConvertible {
    /// The bytes in the order of the text (RFC 9562 section 4).
    package let bytes: [UInt8]

    /// Reads `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` in either case; nil for anything else.
    package init?(_ text: some StringProtocol) {
        let characters = Array(text.utf8)
        guard characters.count == 36 else { return nil }
        var bytes: [UInt8] = []
        var high: UInt8?
        for (offset, character) in characters.enumerated() {
            if [8, 13, 18, 23].contains(offset) {
                guard character == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = Character(Unicode.Scalar(character)).hexDigitValue else { return nil }
            if let first = high {
                bytes.append(first << 4 | UInt8(digit))
                high = nil
            } else {
                high = UInt8(digit)
            }
        }
        self.bytes = bytes
    }

    /// Makes a random one (RFC 9562 version 4).
    package static func random(using generator: inout some RandomNumberGenerator) -> GUID {
        var bytes = RandomBytes.make(16, using: &generator)
        bytes[6] = bytes[6] & 0x0f | 0x40
        bytes[8] = bytes[8] & 0x3f | 0x80
        return GUID(bytes: bytes)
    }

    package static func random() -> GUID {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    /// Reads Microsoft's order of bytes; nil unless there are 16.
    package init?(littleEndian bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.bytes = Self.swapped(bytes)
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// The bytes with the first three groups reversed: Microsoft's order.
    package var littleEndian: [UInt8] { Self.swapped(bytes) }

    package var description: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for (offset, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(offset) { text.append(UInt8(ascii: "-")) }
            text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func swapped(_ bytes: [UInt8]) -> [UInt8] {
        bytes[0..<4].reversed() + bytes[4..<6].reversed() + bytes[6..<8].reversed() + bytes[8..<16]
    }
}
