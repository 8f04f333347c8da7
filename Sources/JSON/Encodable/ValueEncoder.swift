// SPDX-License-Identifier: Apache-2.0

/// Encodes an `Encodable` type into a ``JSONValue``: the counterpart of ``ValueDecoder``.
///
/// Unlike Foundation's encoder, it does not look up whether a type conforms to further protocols. Such a lookup, once
/// for each type, takes a noticeable part of the time in which a process starts.
final class ValueEncoder: Encoder {
    /// A part of an object or array. A scalar needs no encoder of its own.
    enum Part {
        case value(JSONValue)
        case encoder(ValueEncoder)

        fileprivate var value: JSONValue {
            switch self {
            case .value(let value): value
            case .encoder(let encoder): encoder.value
            }
        }
    }

    private var scalar: JSONValue?
    private var members: [String: Part]?
    private var elements: [Part]?

    /// Not recorded, because encoding fails only for a number, and the error names that number.
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// The encoded value; an empty object if nothing was encoded.
    var value: JSONValue {
        if let members { return .object(members.mapValues(\.value)) }
        if let elements { return .array(elements.map(\.value)) }
        return scalar ?? .object([:])
    }

    func container<Key: CodingKey>(keyedBy: Key.Type) -> KeyedEncodingContainer<Key> {
        if members == nil { members = [:] }
        return KeyedEncodingContainer(MemberEncodingContainer(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if elements == nil { elements = [] }
        return ElementEncodingContainer(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    /// Sets a member of the object that is being encoded.
    func set(_ name: String, _ part: Part) { members?[name] = part }

    /// Adds an element to the array that is being encoded.
    func append(_ part: Part) { elements?.append(part) }

    /// The number of elements so far.
    var count: Int { elements?.count ?? 0 }
}

extension ValueEncoder: SingleValueEncodingContainer {
    func encodeNil() { scalar = .null }
    func encode(_ value: Bool) { scalar = .bool(value) }
    func encode(_ value: String) { scalar = .string(value) }
    func encode(_ value: Float) throws { try encode(Double(value)) }

    func encode(_ value: Double) throws {
        guard value.isFinite else { throw Self.unrepresentable(value) }
        scalar = .number(value)
    }

    /// Encodes every integer type.
    func encode<Integer: FixedWidthInteger & Encodable>(_ value: Integer) throws {
        guard let integer = Int(exactly: value) else { throw Self.unrepresentable(value) }
        scalar = .integer(integer)
    }

    func encode<Value: Encodable>(_ value: Value) throws { try value.encode(to: self) }

    private static func unrepresentable(_ value: Any) -> EncodingError {
        .invalidValue(value, .init(codingPath: [], debugDescription: "JSON has no such number"))
    }
}
