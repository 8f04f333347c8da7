// SPDX-License-Identifier: Apache-2.0

/// The elements of an array, for decoding a `Decodable` type.
struct ElementContainer: UnkeyedDecodingContainer {
    let elements: [JSONValue]
    let codingPath: [any CodingKey]
    private(set) var currentIndex = 0

    init(elements: [JSONValue], codingPath: [any CodingKey]) {
        self.elements = elements
        self.codingPath = codingPath
    }

    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex == elements.count }

    mutating func decodeNil() throws -> Bool {
        let isNil = try decoder().decodeNil()
        if isNil { currentIndex += 1 }
        return isNil
    }

    /// Decodes every type, including primitive types.
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value = try Value(from: try decoder())
        currentIndex += 1
        return value
    }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        let container = try decoder().container(keyedBy: type)
        currentIndex += 1
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try decoder().unkeyedContainer()
        currentIndex += 1
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = try decoder()
        currentIndex += 1
        return decoder
    }

    private func decoder() throws -> ValueDecoder {
        let path = codingPath + [Place(currentIndex)]
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                JSONValue.self, .init(codingPath: path, debugDescription: "the list has no further element"))
        }
        return ValueDecoder(value: elements[currentIndex], codingPath: path)
    }

    /// The index of an element, as a coding key.
    private struct Place: CodingKey {
        let intValue: Int?
        let stringValue: String

        init(_ index: Int) {
            intValue = index
            stringValue = String(index)
        }

        init?(intValue: Int) { self.init(intValue) }
        init?(stringValue: String) { nil }
    }
}
