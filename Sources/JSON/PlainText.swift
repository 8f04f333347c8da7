// SPDX-License-Identifier: Apache-2.0

/// Finds the bytes that JSON does not allow in a string without an escape (RFC 8259 section 7).
enum PlainText {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// Returns the offset of the next quotation mark, backslash or control character; the length if there is none.
    static func end(of bytes: RawSpan, from start: Int) -> Int {
        var offset = start
        // Examines sixteen bytes at a time, because tokens are kilobytes long.
        while offset <= bytes.byteCount - 16 {
            let low = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
            let high = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)
            let marks = (low: marks(in: UInt64(littleEndian: low)), high: marks(in: UInt64(littleEndian: high)))
            guard marks.low | marks.high == 0 else {
                let index = marks.low == 0 ? 64 + marks.high.trailingZeroBitCount : marks.low.trailingZeroBitCount
                return offset + index / 8
            }
            offset += 16
        }
        while offset < bytes.byteCount, !isMark(unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)) {
            offset += 1
        }
        return offset
    }

    private static func isMark(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// Returns a word whose lowest set bit is the high bit of the lowest byte that is a quotation mark, backslash or
    /// control character; zero if there is no such byte. Higher bits have no meaning.
    private static func marks(in word: UInt64) -> UInt64 {
        // A byte that is no ASCII character is none of them. For all others, a subtraction sets the high bit of a byte
        // that is too small. A borrow changes only higher bytes.
        let quotationMark = word ^ ones &* UInt64(UInt8(ascii: "\""))
        let backslash = word ^ ones &* UInt64(UInt8(ascii: "\\"))
        return ((quotationMark &- ones) | (backslash &- ones) | (word &- ones &* 0x20)) & ~word & highBits
    }
}
