// SPDX-License-Identifier: Apache-2.0

/// Finds the bytes that JSON does not allow in a string without an escape (RFC 8259 section 7).
enum PlainText {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// Returns the offset of the next quotation mark, backslash or control character; the length if there is none.
    static func end(of bytes: RawSpan, from start: Int) -> Int {
        unsafe bytes.withUnsafeBytes { bytes in
            var offset = start
            // Most strings, and most parts of a string between two escapes, are shorter than a word; tokens are
            // kilobytes long.
            if let end = unsafe endInWord(of: bytes, at: &offset) { return end }
            while offset <= bytes.count - 32 {
                let words = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: SIMD4<UInt64>.self)
                let marks = marks(in: words[0]) | marks(in: words[1]) | marks(in: words[2]) | marks(in: words[3])
                guard marks == 0 else { break }
                offset += 32
            }
            while offset <= bytes.count - 8 {
                if let end = unsafe endInWord(of: bytes, at: &offset) { return end }
            }
            while offset < bytes.count, !isMark(unsafe bytes[offset]) { offset += 1 }
            return offset
        }
    }

    /// Returns the offset of the first byte in the word at `offset` that needs an escape. If the word has no such byte,
    /// moves `offset` to the next word. If no whole word is left at `offset`, does nothing.
    @inline(__always)
    private static func endInWord(of bytes: UnsafeRawBufferPointer, at offset: inout Int) -> Int? {
        guard offset <= bytes.count - 8 else { return nil }
        let word = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        let marks = marks(in: UInt64(littleEndian: word))
        guard marks == 0 else { return offset + marks.trailingZeroBitCount / 8 }
        offset += 8
        return nil
    }

    private static func isMark(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// Returns a word whose lowest set bit is the high bit of the lowest byte that is a quotation mark, backslash or
    /// control character; zero if there is no such byte. Higher bits have no meaning.
    ///
    /// Inlined, so that the compiler examines several words with the same instructions.
    @inline(__always)
    private static func marks(in word: UInt64) -> UInt64 {
        // A byte outside ASCII is never one of these characters. In all other bytes, the subtraction sets the high bit
        // if the byte is too small. A borrow changes only higher bytes.
        let quotationMark = word ^ ones &* UInt64(UInt8(ascii: "\""))
        let backslash = word ^ ones &* UInt64(UInt8(ascii: "\\"))
        return ((quotationMark &- ones) | (backslash &- ones) | (word &- ones &* 0x20)) & ~word & highBits
    }
}
