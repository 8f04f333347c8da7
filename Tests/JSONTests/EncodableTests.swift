// SPDX-License-Identifier: Apache-2.0
import JSON
import Testing

@Suite struct EncodableTests {
    private enum Key: String, Codable, Hashable, CodingKeyRepresentable { case first, second }

    private class Base: Encodable {
        let name = "é/\""
    }

    private final class Derived: Base {
        private enum CodingKeys: CodingKey { case number }

        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try super.encode(to: container.superEncoder())
            try container.encode(1, forKey: .number)
        }
    }

    /// Encodes itself with every kind of nested container.
    private struct Nested: Encodable {
        private enum CodingKeys: CodingKey { case object, list, none, parent }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            var object = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .object)
            try object.encode(true, forKey: .none)
            try object.encode(UInt8(2), forKey: .list)
            var list = container.nestedUnkeyedContainer(forKey: .list)
            try list.encode(1)
            try list.encode("two")
            try list.encode(false)
            try list.encode(0.5)
            try list.encodeNil()
            var inner = list.nestedContainer(keyedBy: CodingKeys.self)
            try inner.encode(Float(1.5), forKey: .none)
            var last = list.nestedUnkeyedContainer()
            try last.encode([Int]())
            try "element".encode(to: list.superEncoder())
            #expect(list.count == 8 && last.count == 1)
            try container.encodeNil(forKey: .none)
            try "parent".encode(to: container.superEncoder(forKey: .parent))
        }
    }

    private struct Silent: Encodable {
        func encode(to encoder: any Encoder) {}
    }

    private func text(_ value: some Encodable) throws -> String {
        String(decoding: try JSONWriter.encode(value), as: UTF8.self)
    }

    @Test func `containers of every kind become objects and arrays with sorted keys`() throws {
        #expect(
            try text(Nested())
                == #"{"list":[1,"two",false,0.5,null,{"none":1.5},[[]],"element"],"none":null,"object":{"list":2,"none":true},"parent":"parent"}"#
        )
        #expect(try text(Derived()) == #"{"name":"é/\"","number":1}"#)
        #expect(try text([Key.second: 2, .first: 1]) == #"{"first":1,"second":2}"#)
        #expect(try text(["b": [1: Key.first]]) == #"{"b":{"1":"first"}}"#)
        #expect(try text(Silent()) == "{}")
        #expect(try text([Silent()]) == "[{}]")
    }

    @Test func `a value may be a scalar`() throws {
        #expect(try text(Int?.none) == "null")
        #expect(try text(Key.first) == #""first""#)
        #expect(try text(UInt64(Int64.max)) == "9223372036854775807")
        #expect(try text(-0.5) == "-0.5")
    }

    @Test func `a number that could not be read back is refused`() throws {
        for value in [Double.nan, .infinity, -.infinity] {
            #expect(throws: EncodingError.self) { try text([value]) }
            #expect(throws: EncodingError.self) { try text(["x": Float(value)]) }
        }
        #expect(throws: EncodingError.self) { try text(["x": UInt64(Int64.max) + 1]) }
    }
}
