// SPDX-License-Identifier: Apache-2.0

/// Decodes a `Decodable` type from a ``JSONValue``.
struct ValueDecoder: Decoder {
    let value: JSONValue
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let members) = value else { throw mismatch([String: JSONValue].self) }
        return KeyedDecodingContainer(MemberContainer(members: members, codingPath: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = value else { throw mismatch([JSONValue].self) }
        return ElementContainer(elements: elements, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    fileprivate func mismatch(_ type: any Any.Type) -> DecodingError {
        let context = DecodingError.Context(codingPath: codingPath, debugDescription: "not of the type \(type)")
        if value == .null { return .valueNotFound(type, context) }
        return .typeMismatch(type, context)
    }
}

extension ValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { value == .null }

    func decode(_ type: Bool.Type) throws -> Bool {
        guard let truth = value.bool else { throw mismatch(type) }
        return truth
    }

    func decode(_ type: String.Type) throws -> String {
        guard let text = value.string else { throw mismatch(type) }
        return text
    }

    func decode(_ type: Double.Type) throws -> Double {
        switch value {
        case .number(let number): return number
        case .integer(let integer):
            guard let number = Double(exactly: integer) else { throw mismatch(type) }
            return number
        default: throw mismatch(type)
        }
    }

    func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }

    /// Decodes every integer type. A number such as `1.0` is accepted if its value is exactly an integer.
    func decode<Integer: FixedWidthInteger & Decodable>(_ type: Integer.Type) throws -> Integer {
        let exact: Integer? =
            switch value {
            case .integer(let integer): Integer(exactly: integer)
            case .number(let number) where abs(number) < 0x1p53: Integer(exactly: number)
            default: nil
            }
        guard let exact else { throw mismatch(type) }
        return exact
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try Value(from: self) }
}
