// SPDX-License-Identifier: Apache-2.0

/// Reads the small part of XML that property lists use, and refuses the rest: namespaces, processing instructions,
/// entities other than XML's five and numeric ones, and document types other than Apple's.
struct XMLReader {
    let bytes: [UInt8]
    let limits: PropertyList.Limits
    var position = 0
    private var depth = 0
    private var objects = 0

    init(bytes: [UInt8], limits: PropertyList.Limits) {
        self.bytes = bytes
        self.limits = limits
    }

    /// Reads a whole document: the prolog, the `plist` element, and comments after it.
    mutating func document() throws(PropertyListError) -> PropertyList {
        if starts(with: "bplist") { throw failure(.binary) }
        try prolog()
        let root = try tag()
        guard root.name == "plist", !root.isEnd, !root.isEmpty else { throw failure(.unexpectedElement) }
        let first = try nextTag()
        let value = try self.value(of: first)
        guard try nextTag() == Tag(name: "plist", isEnd: true, isEmpty: false) else {
            throw failure(.unexpectedElement)
        }
        try skipBlanksAndComments()
        guard position == bytes.count else { throw failure(.malformed) }
        return value
    }

    private mutating func value(of tag: Tag) throws(PropertyListError) -> PropertyList {
        guard !tag.isEnd else { throw failure(.unexpectedElement) }
        try countObject()
        switch tag.name {
        case "dict": return .dictionary(tag.isEmpty ? [:] : try dictionary())
        case "array": return .array(tag.isEmpty ? [] : try array())
        case "true", "false":
            guard try text(of: tag).isEmpty else { throw failure(.invalidValue) }
            return .boolean(tag.name == "true")
        default: return try scalar(named: tag.name, text: text(of: tag))
        }
    }

    private func scalar(named name: String, text: String) throws(PropertyListError) -> PropertyList {
        let value: PropertyList? =
            switch name {
            case "string": .string(text)
            case "integer": ScalarText.integer(text).map(PropertyList.integer)
            case "real": ScalarText.real(text).map(PropertyList.real)
            case "date": ScalarText.date(text).map(PropertyList.date)
            case "data": ScalarText.data(text).map(PropertyList.data)
            default: throw failure(.unexpectedElement)
            }
        guard let value else { throw failure(.invalidValue) }
        return value
    }

    private mutating func dictionary() throws(PropertyListError) -> [String: PropertyList] {
        try descend()
        var result: [String: PropertyList] = [:]
        while true {
            let keyTag = try nextTag()
            if keyTag == Tag(name: "dict", isEnd: true, isEmpty: false) { break }
            guard keyTag.name == "key", !keyTag.isEnd else { throw failure(.unexpectedElement) }
            try countObject()
            let key = try text(of: keyTag)
            guard result[key] == nil else { throw failure(.duplicateKey) }
            result[key] = try value(of: nextTag())
        }
        depth -= 1
        return result
    }

    private mutating func array() throws(PropertyListError) -> [PropertyList] {
        try descend()
        var result: [PropertyList] = []
        while true {
            let tag = try nextTag()
            if tag == Tag(name: "array", isEnd: true, isEmpty: false) { break }
            result.append(try value(of: tag))
        }
        depth -= 1
        return result
    }

    private mutating func descend() throws(PropertyListError) {
        depth += 1
        guard depth <= limits.depth else { throw failure(.limitExceeded) }
    }

    private mutating func countObject() throws(PropertyListError) {
        objects += 1
        guard objects <= limits.objects else { throw failure(.limitExceeded) }
    }

    func failure(_ code: PropertyListError.Code) -> PropertyListError { PropertyListError(code, at: position) }
}
