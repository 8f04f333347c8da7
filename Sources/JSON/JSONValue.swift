// SPDX-License-Identifier: Apache-2.0

/// A JSON value (RFC 8259).
package enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// The text, where the value is one.
    package var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The whole number, where the value is one.
    package var integer: Int? {
        guard case .integer(let value) = self else { return nil }
        return value
    }

    /// The truth value, where the value is one.
    package var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    /// The elements, where the value is a list.
    package var array: [JSONValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// The members, where the value is an object.
    package var object: [String: JSONValue]? {
        guard case .object(let members) = self else { return nil }
        return members
    }
}
