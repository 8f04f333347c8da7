// SPDX-License-Identifier: Apache-2.0
internal import JSON
internal import Storage

/// A property of a kind of object: its JSON name, its value and its filter.
struct GraphProperty<Item: Sendable>: Sendable {
    let name: String
    /// Whether the property is returned by default. If not, it is returned only if `$select` names it.
    let isStandard: Bool
    let value: @Sendable (Item) -> JSONValue
    /// Returns the database condition for `property eq value`, or nil if the property cannot have the value. The filter
    /// is nil if lists cannot be filtered by the property.
    let filter: (@Sendable (JSONValue) -> SQL?)?

    /// Creates a property that is returned by default.
    static func standard(
        _ name: String, filter: (@Sendable (JSONValue) -> SQL?)? = nil, _ value: @escaping @Sendable (Item) -> JSONValue
    ) -> GraphProperty {
        GraphProperty(name: name, isStandard: true, value: value, filter: filter)
    }

    /// Creates a property that is returned only if selected.
    static func selected(
        _ name: String, filter: (@Sendable (JSONValue) -> SQL?)? = nil, _ value: @escaping @Sendable (Item) -> JSONValue
    ) -> GraphProperty {
        GraphProperty(name: name, isStandard: false, value: value, filter: filter)
    }
}

/// The filters of properties.
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

    /// Returns a filter on a column whose text is stored in lower case.
    static func lowercased(_ column: SQL) -> @Sendable (JSONValue) -> SQL? {
        { value in value.string.map { " AND \(column) = \($0.lowercased())" } }
    }

    static func truth(_ column: SQL) -> @Sendable (JSONValue) -> SQL? {
        { value in value.bool.map { " AND \(column) = \($0)" } }
    }

    /// The filter of a property for objects that are in memory. Such objects are compared by value.
    static let value: @Sendable (JSONValue) -> SQL? = { _ in "" }
}

extension JSONValue {
    /// Creates a string, or null for nil.
    init(_ text: String?) { self = text.map(JSONValue.string) ?? .null }
}
