// SPDX-License-Identifier: Apache-2.0
internal import JSON
internal import Storage

/// One `property eq literal` of a `$filter`. Several conditions joined by `and` must all hold (OData 4.01 part 2,
/// section 5.1.1).
struct ODataCondition: Sendable, Equatable {
    let property: String
    let value: JSONValue

    /// The maximum number of conditions in a filter, and its maximum length in bytes.
    private static let maximum = (count: 8, bytes: 2048)

    /// Parses a filter.
    ///
    /// - Throws: ``GraphError`` `badFilter`.
    static func conditions(_ text: String) throws(GraphError) -> [ODataCondition] {
        guard text.utf8.count <= maximum.bytes else { throw .badFilter }
        var words = try words(of: text)[...]
        var conditions: [ODataCondition] = []
        while true {
            guard case .name(let property) = words.popFirst(), case .name("eq") = words.popFirst() else {
                throw .badFilter
            }
            switch words.popFirst() {
            case .literal(let value): conditions.append(ODataCondition(property: property, value: value))
            case .name(let word): conditions.append(ODataCondition(property: property, value: try literal(word)))
            case nil: throw .badFilter
            }
            guard let joint = words.popFirst() else { return conditions }
            guard case .name("and") = joint, conditions.count < maximum.count else { throw .badFilter }
        }
    }

    private enum Word {
        case name(String)
        case literal(JSONValue)
    }

    /// Parses an unquoted literal: a Boolean, null, an integer or a GUID.
    private static func literal(_ word: String) throws(GraphError) -> JSONValue {
        switch word {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "null": return .null
        default:
            if let number = Int(word) { return .integer(number) }
            guard let id = ID<ODataCondition>(rawValue: word) else { throw .badFilter }
            return .string(id.rawValue)
        }
    }

    private static func words(of text: String) throws(GraphError) -> [Word] {
        var words: [Word] = []
        var rest = text[...]
        while let first = rest.first {
            switch first {
            case " ": rest.removeFirst()
            case "'": words.append(.literal(.string(try quoted(&rest))))
            default:
                let name = rest.prefix { $0 != " " && $0 != "'" }
                guard name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else { throw .badFilter }
                words.append(.name(String(name)))
                rest.removeFirst(name.count)
            }
        }
        return words
    }

    /// Removes a quoted text from the front and returns it. Inside the text, a quotation mark is doubled.
    private static func quoted(_ rest: inout Substring) throws(GraphError) -> String {
        var text = ""
        rest.removeFirst()
        while let end = rest.firstIndex(of: "'") {
            text += rest[..<end]
            rest = rest[rest.index(after: end)...]
            guard rest.first == "'" else { return text }
            text.append("'")
            rest.removeFirst()
        }
        throw .badFilter
    }
}
