// SPDX-License-Identifier: Apache-2.0

extension XMLReader {
    /// A tag: `<name>`, `</name>` or `<name/>`.
    struct Tag: Equatable {
        let name: String
        let isEnd: Bool
        let isEmpty: Bool
    }

    /// Reads the prolog: an optional byte order mark, XML declaration, comments and document type.
    mutating func prolog() throws(PropertyListError) {
        _ = skip("\u{FEFF}")
        if starts(with: "<?xml"), isBlank(at: position + 5) { try declaration() }
        try skipBlanksAndComments()
        guard skip("<!DOCTYPE") else { return }
        try documentType()
        try skipBlanksAndComments()
    }

    /// Reads `<?xml version="1.0" encoding="UTF-8"?>`. Other encodings are refused.
    private mutating func declaration() throws(PropertyListError) {
        guard let end = find("?>", within: 200) else { throw failure(.malformed) }
        let text = String(decoding: bytes[position..<end], as: UTF8.self).lowercased()
        if text.contains("encoding") {
            guard text.contains("\"utf-8\"") || text.contains("'utf-8'") else { throw failure(.malformed) }
        }
        position = end + 2
    }

    /// Reads and ignores Apple's document type. Nothing is ever fetched.
    private mutating func documentType() throws(PropertyListError) {
        let accepted = [
            ["plist", "PUBLIC"],
            ["-//Apple//DTD PLIST 1.0//EN", "-//Apple Computer//DTD PLIST 1.0//EN"],
            ["http://www.apple.com/DTDs/PropertyList-1.0.dtd", "https://www.apple.com/DTDs/PropertyList-1.0.dtd"],
        ]
        skipBlanks()
        for word in accepted[0] {
            guard skip(word), isBlank(at: position) else { throw failure(.forbiddenDeclaration) }
            skipBlanks()
        }
        for choices in accepted[1...] {
            guard choices.contains(where: { skip("\"\($0)\"") }) else { throw failure(.forbiddenDeclaration) }
            skipBlanks()
        }
        guard skip(">") else { throw failure(.forbiddenDeclaration) }
    }

    /// Reads the next tag after blanks and comments. Text before the tag is an error.
    mutating func nextTag() throws(PropertyListError) -> Tag {
        try skipBlanksAndComments()
        return try tag()
    }

    mutating func tag() throws(PropertyListError) -> Tag {
        if starts(with: "<!") || starts(with: "<?") { throw failure(.forbiddenDeclaration) }
        guard skip("<") else { throw failure(.malformed) }
        let isEnd = skip("/")
        let start = position
        while position < bytes.count, position - start < 16, bytes[position].isLowercaseLetter { position += 1 }
        guard position > start else { throw failure(.malformed) }
        let name = String(decoding: bytes[start..<position], as: UTF8.self)
        skipBlanks()
        if name == "plist", !isEnd { try versionAttribute() }
        let isEmpty = !isEnd && skip("/")
        guard skip(">") else { throw failure(position < bytes.count ? .unexpectedElement : .malformed) }
        return Tag(name: name, isEnd: isEnd, isEmpty: isEmpty)
    }

    private mutating func versionAttribute() throws(PropertyListError) {
        guard skip("version") else { return }
        skipBlanks()
        guard skip("=") else { throw failure(.malformed) }
        skipBlanks()
        guard skip("\"1.0\"") || skip("'1.0'") else { throw failure(.unexpectedElement) }
        skipBlanks()
    }

    mutating func skipBlanksAndComments() throws(PropertyListError) {
        while true {
            skipBlanks()
            guard starts(with: "<!--") else { return }
            position += 4
            // A comment cannot contain "--", so the first occurrence must be its end.
            guard let end = find("--", within: bytes.count) else { throw failure(.malformed) }
            position = end
            guard skip("-->") else { throw failure(.malformed) }
        }
    }

    mutating func skipBlanks() {
        while isBlank(at: position) { position += 1 }
    }

    func isBlank(at index: Int) -> Bool { index < bytes.count && bytes[index].isXMLBlank }

    func starts(with text: String) -> Bool {
        var index = position
        for byte in text.utf8 {
            guard index < bytes.count, bytes[index] == byte else { return false }
            index += 1
        }
        return true
    }

    /// Skips `text` if it is at the current position; returns whether it was.
    mutating func skip(_ text: String) -> Bool {
        guard starts(with: text) else { return false }
        position += text.utf8.count
        return true
    }

    /// Returns the next position of `text`, at most `distance` bytes ahead; nil if there is none.
    func find(_ text: String, within distance: Int) -> Int? {
        let pattern = Array(text.utf8)
        let last = min(bytes.count - pattern.count, position + min(distance, bytes.count))
        var index = position
        while index <= last {
            if bytes[index] == pattern[0], bytes[index...].starts(with: pattern) { return index }
            index += 1
        }
        return nil
    }
}

extension UInt8 {
    var isXMLBlank: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
    var isLowercaseLetter: Bool { self >= 0x61 && self <= 0x7A }
    var isDigit: Bool { self >= 0x30 && self <= 0x39 }
}
