// SPDX-License-Identifier: Apache-2.0

/// Notes what a type decodes, in a decoder that answers every question with an empty value.
final class SchemaRecording {
    private var members: [Schema.Member] = []
    /// The form of the value, if the type decodes a single value.
    private var single: Schema?
    /// The key that the type has just asked for null, which only an optional member is.
    private var optionalKey: String?

    /// Returns the form that a type decodes.
    static func schema<Value: Decodable>(of type: Value.Type) -> Schema {
        let recording = SchemaRecording()
        // The values are empty, so a type may refuse them; what it asked for until then is noted.
        _ = try? Value(from: SchemaDecoder(recording: recording))
        if let single = recording.single { return single }
        let limits = (type as? any LimitedMembers.Type)?.limits ?? [:]
        let members = recording.members.map { member in
            let schema = limits[member.name].map { member.schema.limited(by: $0) } ?? member.schema
            return Schema.Member(member.name, schema, isRequired: member.isRequired)
        }
        return .object(name: name(of: type), members: members)
    }

    /// Returns the name of a type without its module, such as `IdentityAdmin.User`.
    private static func name(of type: any Any.Type) -> String {
        let name = String(reflecting: type)
        return String(name[(name.firstIndex(of: ".").map(name.index(after:)) ?? name.startIndex)...])
    }

    fileprivate func note(optional key: String) { optionalKey = key }

    fileprivate func note<Value: Decodable>(_ key: String, _ type: Value.Type) {
        members.append(Schema.Member(key, Schema(of: type), isRequired: optionalKey != key))
        optionalKey = nil
    }

    fileprivate func note<Value: Decodable>(single type: Value.Type) { single = Schema(of: type) }

    /// Returns an empty value.
    fileprivate static func empty<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let plain: [any Sendable] = ["", false, 0, Int64(0), 0.0]
        for value in plain {
            if let value = value as? Value { return value }
        }
        return try Value(from: SchemaDecoder(recording: SchemaRecording()))
    }
}

private struct SchemaDecoder: Decoder {
    let recording: SchemaRecording
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(KeyedSchemaContainer(recording: recording))
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer { EmptyList() }
    func singleValueContainer() -> any SingleValueDecodingContainer { SingleSchemaContainer(recording: recording) }
}

private struct KeyedSchemaContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let recording: SchemaRecording
    let codingPath: [any CodingKey] = []
    let allKeys: [Key] = []

    func contains(_ key: Key) -> Bool { true }

    func decodeNil(forKey key: Key) -> Bool {
        recording.note(optional: key.stringValue)
        return false
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        recording.note(key.stringValue, type)
        return try SchemaRecording.empty(type)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> { throw Unsupported() }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw Unsupported() }
    func superDecoder() throws -> any Decoder { throw Unsupported() }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw Unsupported() }
}

private struct SingleSchemaContainer: SingleValueDecodingContainer {
    let recording: SchemaRecording
    let codingPath: [any CodingKey] = []

    func decodeNil() -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        recording.note(single: type)
        return try SchemaRecording.empty(type)
    }
}

private struct EmptyList: UnkeyedDecodingContainer {
    let codingPath: [any CodingKey] = []
    let count: Int? = 0
    let isAtEnd = true
    let currentIndex = 0

    func decodeNil() -> Bool { false }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { throw Unsupported() }
    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw Unsupported()
    }
    func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Unsupported() }
    func superDecoder() throws -> any Decoder { throw Unsupported() }
}

/// No type of the administration decodes this way.
private struct Unsupported: Error {}
