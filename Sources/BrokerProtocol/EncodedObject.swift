// SPDX-License-Identifier: Apache-2.0
package import JSON

/// A JSON object in base64url (RFC 7515 section 2), as tokens and `client_info` contain it.
package struct EncodedObject: Sendable, Equatable {
    package let members: [String: JSONValue]

    /// Decodes the payload of a JWT (RFC 7519 section 3) without checking the signature; returns nil if the payload
    /// cannot be read.
    package init?(payloadOf token: String) {
        let ascii = token.utf8Span.span
        let dots = ascii.indices.filter { ascii[$0] == UInt8(ascii: ".") }
        guard dots.count == 2 else { return nil }
        self.init(ascii.extracting(dots[0] + 1..<dots[1]))
    }

    /// Decodes a JSON object; returns nil if it cannot be read.
    package init?(_ text: String) { self.init(text.utf8Span.span) }

    private init?(_ ascii: Span<UInt8>) {
        guard let bytes = Self.decode(ascii),
            let members = try? JSONReader.read(bytes, limits: Wire.nestedLimits).object
        else { return nil }
        self.members = members
    }

    /// Decodes base64url; returns nil for padding, other characters and unused bits that are not zero.
    private static func decode(_ ascii: Span<UInt8>) -> [UInt8]? {
        guard ascii.count % 4 != 1, ascii.count <= Wire.envelopeLimits.stringBytes else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(ascii.count / 4 * 3 + 2)
        var bits: UInt32 = 0
        var held: UInt32 = 0
        for index in ascii.indices {
            guard let value = value(of: ascii[index]) else { return nil }
            bits = bits << 6 | UInt32(value)
            held += 6
            guard held >= 8 else { continue }
            held -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> held))
            bits &= 1 << held - 1
        }
        return bits == 0 ? bytes : nil
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
