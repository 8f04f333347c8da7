// SPDX-License-Identifier: Apache-2.0

/// Finds tokens in bytes by their shape.
package enum TokenScanner {
    package static func tokens(in bytes: [UInt8]) -> [(kind: String, token: ArraySlice<UInt8>)] {
        var found: [(kind: String, token: ArraySlice<UInt8>)] = []
        let view = bytes.span
        var offset = 0
        while offset + 3 < view.count {
            var end: Int?
            switch view[offset] {
            case UInt8(ascii: "e"):
                end = signedEnd(view, offset)
                if let end { found.append(("signed", bytes[offset..<end])) }
            case UInt8(ascii: "0"), UInt8(ascii: "1"):
                end = opaqueEnd(view, offset)
                if let end { found.append(("opaque", bytes[offset..<end])) }
            default: break
            }
            offset = end ?? offset + 1
        }
        return found
    }

    /// The end of `eyJ….eyJ….…`, if such a token begins here.
    private static func signedEnd(_ bytes: Span<UInt8>, _ begin: Int) -> Int? {
        var end = begin
        for range in [20...2000, 20...4000] {
            guard isSign(bytes, end), let part = partEnd(bytes, end + 3, range), isDot(bytes, part) else { return nil }
            end = part + 1
        }
        // A longer signature is cut: its beginning identifies the token as well.
        var last = end
        while last < bytes.count, last - end < 700, isTokenCharacter(bytes[last]) { last += 1 }
        return last - end >= 40 ? last : nil
    }

    /// The end of `0.….…` or `1.….…`, if such a token begins here and is not part of something longer.
    private static func opaqueEnd(_ bytes: Span<UInt8>, _ begin: Int) -> Int? {
        guard begin == 0 || !isTokenCharacter(bytes[begin - 1]) && !isDot(bytes, begin - 1), isDot(bytes, begin + 1),
            let first = partEnd(bytes, begin + 2, 20...200), isDot(bytes, first),
            let second = partEnd(bytes, first + 1, 30...400), !isDot(bytes, second)
        else { return nil }
        return second
    }

    /// The end of the token characters that begin here, if their number is in range.
    private static func partEnd(_ bytes: Span<UInt8>, _ begin: Int, _ range: ClosedRange<Int>) -> Int? {
        var end = begin
        while end < bytes.count, end - begin <= range.upperBound, isTokenCharacter(bytes[end]) { end += 1 }
        return range.contains(end - begin) ? end : nil
    }

    private static func isSign(_ bytes: Span<UInt8>, _ offset: Int) -> Bool {
        offset + 3 <= bytes.count && bytes[offset] == UInt8(ascii: "e") && bytes[offset + 1] == UInt8(ascii: "y")
            && bytes[offset + 2] == UInt8(ascii: "J")
    }

    private static func isDot(_ bytes: Span<UInt8>, _ offset: Int) -> Bool {
        offset < bytes.count && bytes[offset] == UInt8(ascii: ".")
    }

    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
