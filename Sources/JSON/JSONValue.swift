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

    /// The string; nil for any other value.
    package var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The integer; nil for any other value.
    package var integer: Int? {
        guard case .integer(let value) = self else { return nil }
        return value
    }

    /// The boolean; nil for any other value.
    package var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    /// The elements of an array; nil for any other value.
    package var array: [JSONValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// The members of an object; nil for any other value.
    package var object: [String: JSONValue]? {
        guard case .object(let members) = self else { return nil }
        return members
    }
}
