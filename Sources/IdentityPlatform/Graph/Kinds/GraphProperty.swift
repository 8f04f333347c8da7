// SPDX-License-Identifier: Apache-2.0
internal import JSON
internal import Storage

/// A property of a kind of object: its name on the wire, its value, and how a filter on it reads.
struct GraphProperty<Item: Sendable>: Sendable {
    let name: String
    /// Whether it comes unasked; else only where `$select` names it.
    let isStandard: Bool
    let value: @Sendable (Item) -> JSONValue
    /// The condition of a database for `property eq value`; nil for a value that the property cannot have.
    let filter: (@Sendable (JSONValue) -> SQL?)?

    /// A property that comes unasked.
    static func standard(
        _ name: String, filter: (@Sendable (JSONValue) -> SQL?)? = nil, _ value: @escaping @Sendable (Item) -> JSONValue
    ) -> GraphProperty {
        GraphProperty(name: name, isStandard: true, value: value, filter: filter)
    }

    /// A property that has to be asked for.
    static func selected(
        _ name: String, filter: (@Sendable (JSONValue) -> SQL?)? = nil, _ value: @escaping @Sendable (Item) -> JSONValue
    ) -> GraphProperty {
        GraphProperty(name: name, isStandard: false, value: value, filter: filter)
    }
}

/// How a filter on a column reads.
enum GraphFilter {
    static func text(_ column: SQL) -> @Sendable (JSONValue) -> SQL? {
        { value in
            switch value {
            case .string(let text): " AND \(column) = \(text)"
            case .null: " AND \(column) IS NULL"
            default: nil
            }
        }
    }

    /// For columns that hold their text in lower case.
    static func lowercased(_ column: SQL) -> @Sendable (JSONValue) -> SQL? {
        { value in value.string.map { " AND \(column) = \($0.lowercased())" } }
    }

    static func truth(_ column: SQL) -> @Sendable (JSONValue) -> SQL? {
        { value in value.bool.map { " AND \(column) = \($0)" } }
    }

    /// For lists at hand, which compare the property's value itself.
    static let value: @Sendable (JSONValue) -> SQL? = { _ in "" }
}

extension JSONValue {
    /// A text, or null where there is none.
    init(_ text: String?) { self = text.map(JSONValue.string) ?? .null }
}
