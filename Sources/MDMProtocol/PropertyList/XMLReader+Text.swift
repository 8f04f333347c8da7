// SPDX-License-Identifier: Apache-2.0

extension XMLReader {
    /// Reads the text up to the end tag of `tag`. Resolves references and normalises line ends (XML 1.0 section 2.11).
    mutating func text(of tag: Tag) throws(PropertyListError) -> String {
        guard !tag.isEmpty else { return "" }
        let start = position
        var result: [UInt8] = []
        while true {
            guard position < bytes.count else { throw failure(.malformed) }
            guard position - start <= limits.text else { throw failure(.limitExceeded) }
            switch bytes[position] {
            case UInt8(ascii: "<"):
                if starts(with: "<![CDATA[") {
                    try characterData(into: &result)
                } else if starts(with: "<!--") {
                    try skipComment()
                } else {
                    let end = try self.tag()
                    guard end == Tag(name: tag.name, isEnd: true, isEmpty: false) else {
                        throw failure(.unexpectedElement)
                    }
                    return try string(result)
                }
            case UInt8(ascii: "&"): try reference(into: &result)
            case UInt8(ascii: "]") where starts(with: "]]>"): throw failure(.malformed)
            default: appendCharacter(to: &result)
            }
        }
    }

    private mutating func skipComment() throws(PropertyListError) {
        position += 4
        guard let end = find("--", within: limits.text) else { throw failure(.malformed) }
        position = end
        guard skip("-->") else { throw failure(.malformed) }
    }

    private mutating func characterData(into result: inout [UInt8]) throws(PropertyListError) {
        position += 9
        guard let end = find("]]>", within: limits.text) else { throw failure(.malformed) }
        while position < end { appendCharacter(to: &result) }
        position = end + 3
    }

    /// Copies one byte. A carriage return becomes a line feed; a carriage return and a line feed together become one
    /// line feed.
    private mutating func appendCharacter(to result: inout [UInt8]) {
        let byte = bytes[position]
        position += 1
        guard byte == 0x0D else { return result.append(byte) }
        result.append(0x0A)
        if position < bytes.count, bytes[position] == 0x0A { position += 1 }
    }

    /// Reads a reference: `&amp;` or one of the four other predefined entities, or a numeric reference such as `&#10;`
    /// or `&#xA;`. Every other reference is refused.
    private mutating func reference(into result: inout [UInt8]) throws(PropertyListError) {
        guard let end = find(";", within: 10) else { throw failure(.malformed) }
        let name = String(decoding: bytes[(position + 1)..<end], as: UTF8.self)
        switch name {
        case "amp": result.append(UInt8(ascii: "&"))
        case "lt": result.append(UInt8(ascii: "<"))
        case "gt": result.append(UInt8(ascii: ">"))
        case "quot": result.append(UInt8(ascii: "\""))
        case "apos": result.append(UInt8(ascii: "'"))
        default:
            guard name.hasPrefix("#") else { throw failure(.forbiddenDeclaration) }
            guard let scalar = numericReference(name.dropFirst()) else { throw failure(.malformed) }
            result.append(contentsOf: String(Character(scalar)).utf8)
        }
        position = end + 1
    }

    private func numericReference(_ text: Substring) -> Unicode.Scalar? {
        let isHex = text.hasPrefix("x")
        let digits = isHex ? text.dropFirst() : text
        guard digits.utf8.first.map({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }) == true else { return nil }
        return UInt32(digits, radix: isHex ? 16 : 10).flatMap(Unicode.Scalar.init).flatMap {
            $0.isXMLCharacter ? $0 : nil
        }
    }

    private func string(_ bytes: [UInt8]) throws(PropertyListError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw failure(.malformed) }
        guard text.unicodeScalars.allSatisfy(\.isXMLCharacter) else { throw failure(.malformed) }
        return text
    }
}

extension Unicode.Scalar {
    /// Whether XML 1.0 allows the character (section 2.2).
    var isXMLCharacter: Bool {
        switch value {
        case 0x9, 0xA, 0xD, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }
}
