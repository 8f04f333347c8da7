// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// The text of a shared statement in PostgreSQL's spelling.
///
/// The shared statements write key words in capitals and names in camelCase, both without quotes. PostgreSQL folds
/// unquoted names to lower case, so a name with a capital is quoted here. Because of the quotes, results have the names
/// of the schema, and the tables look the same in both databases. The only other difference is the type BLOB, which is
/// called BYTEA. Literals, quoted names and comments are copied.
struct StatementText {
    private var text: [UInt8] = []
    private var rest: ArraySlice<UInt8>

    /// - Throws: ``StorageError`` if a literal, quoted name or comment contains a parameter.
    static func text(of sql: SQL) throws(StorageError) -> String {
        var text: [UInt8] = []
        for (index, piece) in sql.pieces.enumerated() {
            if index > 0 { text += "$\(index)".utf8 }
            var printed = StatementText(rest: Array(piece.utf8)[...])
            try printed.printAll()
            text += printed.text
        }
        return String(decoding: text, as: UTF8.self)
    }

    private init(rest: ArraySlice<UInt8>) { self.rest = rest }

    private mutating func printAll() throws(StorageError) {
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: "'"), UInt8(ascii: "\""): try copy(through: byte)
            case UInt8(ascii: "-") where rest.starts(with: "--".utf8): try copy(through: UInt8(ascii: "\n"))
            case _ where Self.beginsWord(byte): printWord()
            default: copy(1)
            }
        }
    }

    private mutating func copy(_ count: Int) {
        text += rest.prefix(count)
        rest = rest.dropFirst(count)
    }

    /// Copies from the current character to the next `end`. A doubled quotation mark is treated as the end of one
    /// literal and the beginning of another; the copied text is the same.
    private mutating func copy(through end: UInt8) throws(StorageError) {
        guard let last = rest.dropFirst().firstIndex(of: end) else {
            throw StorageError(.failed, "a literal or comment of a statement does not end before its parameter")
        }
        copy(last - rest.startIndex + 1)
    }

    private mutating func printWord() {
        let word = rest.prefix { Self.beginsWord($0) || Self.isDigit($0) }
        rest = rest.dropFirst(word.count)
        let isName = word.first.map(Self.isSmall) == true
        if word.elementsEqual("BLOB".utf8) {
            text += "BYTEA".utf8
        } else if isName, word.contains(where: Self.isCapital) {
            text += [UInt8(ascii: "\"")] + word + [UInt8(ascii: "\"")]
        } else {
            text += word
        }
    }

    private static func beginsWord(_ byte: UInt8) -> Bool {
        isSmall(byte) || isCapital(byte) || byte == UInt8(ascii: "_")
    }

    private static func isSmall(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
    private static func isCapital(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }
    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
