// SPDX-License-Identifier: Apache-2.0

/// The members of an object, while an `Encodable` type is encoded.
struct MemberEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: ValueEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil(forKey key: Key) { encoder.set(key.stringValue, .value(.null)) }
    func encode(_ value: Bool, forKey key: Key) { encoder.set(key.stringValue, .value(.bool(value))) }
    func encode(_ value: Int, forKey key: Key) { encoder.set(key.stringValue, .value(.integer(value))) }
    func encode(_ value: String, forKey key: Key) { encoder.set(key.stringValue, .value(.string(value))) }

    /// Encodes every other type, including the other primitive types.
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try value.encode(to: member(key)) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        member(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { member(key).unkeyedContainer() }

    /// The members of a superclass belong to the same object, as ``MemberContainer`` reads them.
    func superEncoder() -> any Encoder { encoder }
    func superEncoder(forKey key: Key) -> any Encoder { member(key) }

    private func member(_ key: Key) -> ValueEncoder {
        let member = ValueEncoder()
        encoder.set(key.stringValue, .encoder(member))
        return member
    }
}
