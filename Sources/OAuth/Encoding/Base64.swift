// SPDX-License-Identifier: Apache-2.0

/// The error for invalid base64. The error contains no part of the text, because the text may be a secret.
package struct Base64Failure: Error, Equatable {
    package init() {}
}

/// Base64 with the standard alphabet (RFC 4648 section 4).
package enum Base64 {
    static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    static let values = reverse(alphabet)

    /// Encodes `bytes` with padding.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        append(bytes, alphabet: alphabet, padded: true, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes padded base64; accepts only the canonical encoding.
    ///
    /// - Throws: ``Base64Failure``.
    package static func decode(_ text: some StringProtocol) throws(Base64Failure) -> [UInt8] {
        let characters = Array(text.utf8)
        guard characters.count % 4 == 0 else { throw Base64Failure() }
        let padding = characters.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard padding <= 2 else { throw Base64Failure() }
        return try bytes(of: characters.dropLast(padding), values: values)
    }

    /// Decodes base64 in either alphabet, with or without padding and line breaks, as device registration clients send
    /// it.
    ///
    /// - Throws: ``Base64Failure``.
    package static func decodeLeniently(_ text: some StringProtocol) throws(Base64Failure) -> [UInt8] {
        var characters = text.utf8.compactMap { character -> UInt8? in
            switch character {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            case UInt8(ascii: "\r"), UInt8(ascii: "\n"): nil
            default: character
            }
        }
        while characters.last == UInt8(ascii: "=") { characters.removeLast() }
        return try bytes(of: characters[...], values: values, strictTail: false)
    }

    private static func reverse(_ alphabet: [UInt8]) -> [UInt8] {
        var values = [UInt8](repeating: 0xff, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }

    static func values(of alphabet: [UInt8]) -> [UInt8] { reverse(alphabet) }

    static func append(
        _ bytes: some Sequence<UInt8>, alphabet: [UInt8], padded: Bool, to text: inout [UInt8]
    ) {
        // An array is not copied here. Other sequences are copied, because a loop over a generic sequence is slow.
        let bytes = Array(bytes)
        let tail = bytes.count % 3
        let whole = bytes.count - tail
        text.append(addingCapacity: bytes.count / 3 * 4 + 4) { output in
            for index in stride(from: 0, to: whole, by: 3) {
                let bits = Int(bytes[index]) << 16 | Int(bytes[index + 1]) << 8 | Int(bytes[index + 2])
                output.append(alphabet[bits >> 18])
                output.append(alphabet[bits >> 12 & 63])
                output.append(alphabet[bits >> 6 & 63])
                output.append(alphabet[bits & 63])
            }
            guard tail > 0 else { return }
            let bits = Int(bytes[whole]) << 16 | (tail == 2 ? Int(bytes[whole + 1]) << 8 : 0)
            output.append(alphabet[bits >> 18])
            output.append(alphabet[bits >> 12 & 63])
            if tail == 2 { output.append(alphabet[bits >> 6 & 63]) }
            guard padded else { return }
            output.append(repeating: UInt8(ascii: "="), count: 3 - tail)
        }
    }

    /// Decodes characters without padding. If `strictTail` is true, the unused bits of the last character must be zero.
    static func bytes(
        of characters: ArraySlice<UInt8>, values: [UInt8], strictTail: Bool = true
    ) throws(Base64Failure) -> [UInt8] {
        let tail = characters.count % 4
        guard tail != 1 else { throw Base64Failure() }
        let end = characters.endIndex - tail
        // All bits of the characters' values, to find an invalid character (0xff).
        var seen: UInt8 = 0
        var isTailZero = true
        func value(_ index: Int) -> Int {
            let value = values[Int(characters[index])]
            seen |= value
            return Int(value)
        }
        let bytes = [UInt8](capacity: characters.count / 4 * 3 + 2) { output in
            for index in stride(from: characters.startIndex, to: end, by: 4) {
                let bits = value(index) << 18 | value(index + 1) << 12 | value(index + 2) << 6 | value(index + 3)
                output.append(UInt8(truncatingIfNeeded: bits >> 16))
                output.append(UInt8(truncatingIfNeeded: bits >> 8))
                output.append(UInt8(truncatingIfNeeded: bits))
            }
            guard tail > 0 else { return }
            let bits = value(end) << 18 | value(end + 1) << 12 | (tail == 3 ? value(end + 2) << 6 : 0)
            output.append(UInt8(truncatingIfNeeded: bits >> 16))
            if tail == 3 { output.append(UInt8(truncatingIfNeeded: bits >> 8)) }
            isTailZero = bits & (tail == 3 ? 0xff : 0xffff) == 0
        }
        guard seen < 64, isTailZero || !strictTail else { throw Base64Failure() }
        return bytes
    }
}
