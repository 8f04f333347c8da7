// SPDX-License-Identifier: Apache-2.0

/// Finds the bytes that JSON does not allow in a string without an escape (RFC 8259 section 7).
enum PlainText {
    private typealias Words = SIMD4<UInt64>

    /// Returns the offset of the next quotation mark, backslash or control character; the length if there is none.
    static func end(of bytes: RawSpan, from start: Int) -> Int {
        unsafe bytes.withUnsafeBytes { bytes in
            var offset = start
            // Examines 32 bytes at a time, because tokens are kilobytes long.
            while offset <= bytes.count - 32 {
                let marks = marks(in: unsafe bytes.loadUnaligned(fromByteOffset: offset, as: Words.self))
                guard marks[0] | marks[1] | marks[2] | marks[3] == 0 else { break }
                offset += 32
            }
            while offset <= bytes.count - 8 {
                let word = UInt64(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                let marks = marks(in: Words(repeating: word))[0]
                guard marks == 0 else { return offset + marks.trailingZeroBitCount / 8 }
                offset += 8
            }
            while offset < bytes.count, !isMark(unsafe bytes[offset]) { offset += 1 }
            return offset
        }
    }

    private static func isMark(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// Returns, for each word, a word whose lowest set bit is the high bit of the lowest byte that is a quotation mark,
    /// backslash or control character; zero if there is no such byte. Higher bits have no meaning.
    @inline(__always)
    private static func marks(in words: Words) -> Words {
        // A byte that is no ASCII character is none of them. For all others, a subtraction sets the high bit of a byte
        // that is too small. A borrow changes only higher bytes.
        let ones = repeating(1)
        let quotationMarks = words ^ repeating(UInt8(ascii: "\""))
        let backslashes = words ^ repeating(UInt8(ascii: "\\"))
        let small = (quotationMarks &- ones) | (backslashes &- ones) | (words &- repeating(0x20))
        return small & ~words & repeating(0x80)
    }

    @inline(__always)
    private static func repeating(_ byte: UInt8) -> Words { Words(repeating: 0x0101_0101_0101_0101 * UInt64(byte)) }
}
