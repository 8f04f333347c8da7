// SPDX-License-Identifier: Apache-2.0

/// An identifier in the form of a GUID, lower case; each kind of subject has its own type.
package struct ID<Subject>: RawRepresentable, Hashable, Sendable, ColumnValue {
    package let rawValue: String

    /// Takes a GUID in either case; anything else is `nil`.
    package init?(rawValue: String) {
        guard let bytes = Self.bytes(of: rawValue) else { return nil }
        self.init(bytes: bytes)
    }

    /// Writes 16 bytes as a GUID, in the order they stand in.
    package init(bytes: [UInt8]) {
        precondition(bytes.count == 16, "a GUID has 16 bytes")
        var text = ""
        text.reserveCapacity(36)
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text.append("-") }
            text.append(hexadecimal[Int(byte >> 4)])
            text.append(hexadecimal[Int(byte & 15)])
        }
        rawValue = text
    }

    /// Makes a version 4 GUID of 16 random bytes.
    package init(version4 bytes: [UInt8]) {
        var bytes = bytes
        bytes[6] = bytes[6] & 0x0f | 0x40
        bytes[8] = bytes[8] & 0x3f | 0x80
        self.init(bytes: bytes)
    }

    /// The 16 bytes, in the order they are written in.
    package var bytes: [UInt8] { Self.bytes(of: rawValue) ?? [] }

    private static func bytes(of text: String) -> [UInt8]? {
        let characters = Array(text.utf8)
        guard characters.count == 36 else { return nil }
        var digits: [UInt8] = []
        for (index, character) in characters.enumerated() {
            if [8, 13, 18, 23].contains(index) {
                guard character == UInt8(ascii: "-") else { return nil }
            } else {
                guard let digit = Character(Unicode.Scalar(character)).hexDigitValue else { return nil }
                digits.append(UInt8(digit))
            }
        }
        return stride(from: 0, to: 32, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}

extension ID: CustomStringConvertible {
    package var description: String { rawValue }
}

private let hexadecimal = Array("0123456789abcdef")

/// An identifier in the form that another party gave it: any text.
package struct ForeignID<Subject>: RawRepresentable, Hashable, Sendable, ColumnValue, CustomStringConvertible {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    package var description: String { rawValue }
}

/// An organisation, which has the same id in the database of each engine.
package enum TenantSubject {}
package typealias TenantID = ID<TenantSubject>
