// SPDX-License-Identifier: Apache-2.0
import Foundation
import JSON
import Testing

@Suite struct DecodableTests {
    private enum Message: Codable, Equatable {
        case bare
        case named(id: UInt64, text: String?)
        case bodies([Body])
    }

    private struct Body: Codable, Equatable {
        var numbers: [String: Int32] = [:]
        var share: Double?
        var small: Float = 0
        var flags: [Bool?] = []
        var nested: [[UInt8]] = []
        var kind = Kind.one
    }

    private enum Kind: String, Codable { case one, two }

    private func read<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        try JSONReader.read(type, from: Array(text.utf8), limits: JSONLimits(bytes: 4096))
    }

    @Test func `types are encoded and decoded as Foundation does it`() throws {
        let messages: [Message] = [
            .bare, .named(id: 7, text: nil), .named(id: UInt64(Int64.max), text: "é/\""),
            .bodies([
                Body(),
                Body(
                    numbers: ["a": .min, "b": .max], share: 0.25, small: 1.5, flags: [true, nil, false],
                    nested: [[], [0, 255]], kind: .two),
            ]),
        ]
        for message in messages {
            let text = String(decoding: try JSONEncoder().encode(message), as: UTF8.self)
            #expect(try read(Message.self, text) == message)
            let own = String(decoding: try JSONWriter.encode(message), as: UTF8.self)
            #expect(try read(Message.self, own) == message)
            #expect(try JSONDecoder().decode(Message.self, from: Data(own.utf8)) == message)
        }
    }

    @Test func `a number must be an exact value of its type`() throws {
        #expect(try read([Int8].self, "[127,-128,1.0,1e2]") == [127, -128, 1, 100])
        #expect(try read([Double].self, "[1,0.5]") == [1, 0.5])
        for text in ["128", "-129", "1.5", "1e3", "9223372036854775808", #""1""#, "true", "null"] {
            #expect(throws: DecodingError.self) { try read(Int8.self, text) }
        }
        #expect(throws: DecodingError.self) { try read(UInt64.self, "18446744073709551616") }
        #expect(throws: DecodingError.self) { try read(Int.self, "1e300") }
        #expect(throws: DecodingError.self) { try read(Double.self, "9007199254740993") }
        #expect(throws: DecodingError.self) { try read(Bool.self, "1") }
        #expect(throws: DecodingError.self) { try read(String.self, "1") }
    }

    @Test(arguments: [
        "{}", #"{"sing":{}}"#, #"{"bare":{},"named":{}}"#, #"{"named":{"text":"x"}}"#, #"{"named":{"id":"7"}}"#,
        #"{"bodies":{"_0":[{}]}}"#, #"{"bodies":{"_0":{}}}"#, "[]", "null",
    ])
    func `a value of another shape is refused`(text: String) {
        #expect(throws: DecodingError.self) { try read(Message.self, text) }
    }

    @Test func `invalid JSON is refused as such, including duplicate keys`() {
        #expect(throws: JSONFailure(.malformed, at: 1)) { try read(Message.self, "{") }
        #expect(throws: JSONFailure(.duplicateKey, at: 11)) { try read(Message.self, #"{"bare":{},"bare":{}}"#) }
    }

    @Test func `an error names the position and contains no content`() throws {
        do {
            _ = try read([[String: Int]].self, #"[{},{"size":"secret"}]"#)
            Issue.record("taken")
        } catch let error as DecodingError {
            guard case .typeMismatch(_, let context) = error else { throw error }
            #expect(context.codingPath.map(\.stringValue) == ["1", "size"])
            #expect(!"\(error)".contains("secret"))
        }
    }
}
