// SPDX-License-Identifier: Apache-2.0

/// A property list as Apple's device management protocol carries it.
package enum PropertyList: Hashable, Sendable {
    case string(String)
    case integer(Int64)
    /// Always finite.
    case real(Double)
    case boolean(Bool)
    /// Whole seconds since 1970-01-01T00:00:00Z.
    case date(Int64)
    case data([UInt8])
    case array([PropertyList])
    case dictionary([String: PropertyList])
}

extension PropertyList: ExpressibleByStringLiteral {
    package init(stringLiteral value: String) { self = .string(value) }
}

extension PropertyList: ExpressibleByBooleanLiteral {
    package init(booleanLiteral value: Bool) { self = .boolean(value) }
}

extension PropertyList: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: Int64) { self = .integer(value) }
}

extension PropertyList: ExpressibleByArrayLiteral {
    package init(arrayLiteral elements: PropertyList...) { self = .array(elements) }
}

extension PropertyList: ExpressibleByDictionaryLiteral {
    /// Of a key that stands twice the last one holds.
    package init(dictionaryLiteral elements: (String, PropertyList)...) {
        self = .dictionary(Dictionary(elements) { _, last in last })
    }
}

extension PropertyList {
    /// What kind of value this is, in the words of the XML form.
    package var kind: String {
        switch self {
        case .string: "string"
        case .integer: "integer"
        case .real: "real"
        case .boolean: "boolean"
        case .date: "date"
        case .data: "data"
        case .array: "array"
        case .dictionary: "dict"
        }
    }
}
