// SPDX-License-Identifier: Apache-2.0

/// A property list, as Apple's device management protocol uses it.
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
    /// If a key occurs twice, the last value counts.
    package init(dictionaryLiteral elements: (String, PropertyList)...) {
        self = .dictionary(Dictionary(elements) { _, last in last })
    }
}

extension PropertyList {
    /// The kind of this value, as the XML form names it.
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
