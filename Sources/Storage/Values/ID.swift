// SPDX-License-Identifier: Apache-2.0

/// An identifier in the form of a lower-case GUID. The parameter `Subject` gives each kind of object its own id type.
package struct ID<Subject>: RawRepresentable, Hashable, Sendable, ColumnValue {
    package let rawValue: String

    /// Parses a GUID in either case; nil for any other text.
    package init?(rawValue: String) {
        guard let digits = Self.digits(of: rawValue) else { return nil }
        self.init(digits: digits)
    }

    /// Makes a GUID from 16 bytes, in the given order.
    package init(bytes: [UInt8]) {
        precondition(bytes.count == 16, "a GUID has 16 bytes")
        self.init(digits: bytes.flatMap { [$0 >> 4, $0 & 15] })
    }

    /// Makes a GUID from 32 hexadecimal digits.
    private init(digits: [UInt8]) {
        var text: [UInt8] = []
        text.reserveCapacity(Self.length)
        for digit in digits {
            if Self.isDash(text.count) { text.append(UInt8(ascii: "-")) }
            text.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
        rawValue = String(decoding: text, as: UTF8.self)
    }

    /// Makes a version 4 GUID from 16 random bytes.
    package init(version4 bytes: [UInt8]) {
        var bytes = bytes
        bytes[6] = bytes[6] & 0x0f | 0x40
        bytes[8] = bytes[8] & 0x3f | 0x80
        self.init(bytes: bytes)
    }

    /// The 16 bytes, in the order of the text.
    package var bytes: [UInt8] {
        guard let digits = Self.digits(of: rawValue) else { return [] }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    private static var length: Int { 36 }

    /// Whether the text has a dash at this index.
    private static func isDash(_ index: Int) -> Bool { index == 8 || index == 13 || index == 18 || index == 23 }

    /// Returns the 32 hexadecimal digits of a GUID; nil for any other text.
    private static func digits(of text: String) -> [UInt8]? {
        let characters = Array(text.utf8)
        guard characters.count == length else { return nil }
        var digits: [UInt8] = []
        digits.reserveCapacity(32)
        for index in characters.indices {
            let character = characters[index]
            if isDash(index) {
                guard character == UInt8(ascii: "-") else { return nil }
                continue
            }
            switch character {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digits.append(character - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digits.append(character - UInt8(ascii: "a") + 10)
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digits.append(character - UInt8(ascii: "A") + 10)
            default: return nil
            }
        }
        return digits
    }
}

extension ID: CustomStringConvertible {
    package var description: String { rawValue }
}

/// An identifier that another party chose. It can be any text.
package struct ForeignID<Subject>: RawRepresentable, Hashable, Sendable, ColumnValue, CustomStringConvertible {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    package var description: String { rawValue }
}

/// An organisation. It has the same id in every engine's database.
package enum TenantSubject {}
package typealias TenantID = ID<TenantSubject>
