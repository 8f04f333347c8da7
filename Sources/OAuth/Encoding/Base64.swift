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
        var bits: UInt32 = 0
        var held = 0
        var written = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            held += 8
            while held >= 6 {
                held -= 6
                text.append(alphabet[Int(bits >> UInt32(held) & 63)])
                written += 1
            }
            bits &= 1 << UInt32(held) - 1
        }
        if held > 0 {
            text.append(alphabet[Int(bits << UInt32(6 - held) & 63)])
            written += 1
        }
        while padded, written % 4 != 0 {
            text.append(UInt8(ascii: "="))
            written += 1
        }
    }

    /// Decodes characters without padding. If `strictTail` is true, the unused bits of the last character must be zero.
    static func bytes(
        of characters: ArraySlice<UInt8>, values: [UInt8], strictTail: Bool = true
    ) throws(Base64Failure) -> [UInt8] {
        guard characters.count % 4 != 1 else { throw Base64Failure() }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(characters.count / 4 * 3 + 2)
        var bits: UInt32 = 0
        var held: UInt32 = 0
        for character in characters {
            let value = values[Int(character)]
            guard value < 64 else { throw Base64Failure() }
            bits = bits << 6 | UInt32(value)
            held += 6
            if held >= 8 {
                held -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> held))
                bits &= 1 << held - 1
            }
        }
        guard !strictTail || bits == 0 else { throw Base64Failure() }
        return bytes
    }
}
