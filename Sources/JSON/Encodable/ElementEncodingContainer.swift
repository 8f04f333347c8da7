// SPDX-License-Identifier: Apache-2.0

/// The elements of an array, while an `Encodable` type is encoded.
struct ElementEncodingContainer: UnkeyedEncodingContainer {
    let encoder: ValueEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { encoder.count }

    func encodeNil() { encoder.append(.value(.null)) }
    func encode(_ value: Bool) { encoder.append(.value(.bool(value))) }
    func encode(_ value: Int) { encoder.append(.value(.integer(value))) }
    func encode(_ value: String) { encoder.append(.value(.string(value))) }

    /// Encodes every other type, including the other primitive types.
    func encode<Value: Encodable>(_ value: Value) throws { try value.encode(to: element()) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        element().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { element().unkeyedContainer() }
    func superEncoder() -> any Encoder { element() }

    private func element() -> ValueEncoder {
        let element = ValueEncoder()
        encoder.append(.encoder(element))
        return element
    }
}
