// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import OAuth
import Receipts
import Testing

@Suite struct SignedLineTests {
    /// Checks a line by the description in docs/receipts.md, without Baton's own parser.
    @Test func `the signature covers the bytes before its member`() throws {
        let chain = try Chain(1)
        let text = String(decoding: chain.lines[0].bytes, as: UTF8.self)
        let parts = text.components(separatedBy: #","signature":""#)
        #expect(parts.count == 2)
        let signature = try Base64URL.decode(String(parts[1].dropLast(2)))
        #expect(parts[1].hasSuffix(#""}"#))
        #expect(
            chain.key.publicKey.isValidSignature(
                try P256.Signing.ECDSASignature(rawRepresentation: signature), for: Data(parts[0].utf8)))
        #expect(chain.lines[0].hash == Base64URL.encode(SHA256.hash(data: Data(text.utf8))))
    }

    @Test(arguments: [
        "", "{", "{}", #"{"signature":"AA"}"#, #"{"a":1,"signature":"AA"} "#, #" {"a":1,"signature":"AA"}"#,
        #"{"a":1,"signature":"A"}"#, #"{"a":1,"signature":"AB"}"#, #"{"a":1, "signature":"AA"}"#,
        #"{"a":1,"signature":"AA","b":2}"#, #"{"signature":"AA","signature":"AA"}"#, #"["a","signature":"AA"}"#,
    ])
    func `a line in any other form is refused`(text: String) {
        #expect(SignedLine(Array(text.utf8)) == nil)
    }

    @Test func `a receipt is decoded as it was encoded`() throws {
        let chain = try Chain(2)
        let receipt = try Receipt(chain.lines[1])
        #expect(receipt.place.previous == chain.lines[0].hash)
        #expect(receipt.accessTokensEndBy == .known(Chain.time + 600))
        #expect(try receipt.signed(with: .p256(chain.key)).members.values.count == chain.lines[1].members.values.count)
    }

    @Test func `a browser in version 1 is decoded as reported by the agent, and no other item is`() throws {
        var chain = try Chain(0)
        for version in [1, 2] { try chain.append(version: version) }
        let claims = try chain.lines.map { line in
            try Receipt(line).items.map { "\($0.name) \($0.grade) \($0.observer)" }
        }
        #expect(claims[0] == ["browser reported agent", "files enforced broker"])
        #expect(claims[1] == ["browser enforced broker", "files enforced broker"])
        #expect(try chain.lines.map { try Receipt($0).version } == [1, 2])
    }

    @Test func `every grade and observer is decoded as it was encoded`() throws {
        let chain = try Chain(0)
        for grade in ReceiptItem.Grade.allCases {
            for observer in ReceiptItem.Observer.allCases {
                let item = ReceiptItem(name: "files", grade: grade, observer: observer, result: .done, at: 1)
                let line = try Receipt(
                    place: .init(sequence: 1, previous: nil), tenant: "t", device: "d", key: "k", ended: "1.x",
                    next: "2.y", trigger: nil, isAttempt: false, times: .init(began: nil, committed: nil, finished: 1),
                    items: [item], accessTokensEndBy: .none, subject: .none
                ).signed(with: .p256(chain.key))
                #expect(try Receipt(line).items == [item])
            }
        }
    }

    @Test func `a receipt distinguishes unknown from none`() throws {
        let chain = try Chain(1)
        let cases: [(Finding<Int>, Finding<String>, Finding<[String]>)] = [
            (.none, .unknown, .known(["home", "unexplained"])), (.unknown, .none, .none), (.none, .none, .unknown),
        ]
        for (tokens, subject, left) in cases {
            let line = try Receipt(
                place: .init(sequence: 1, previous: nil), tenant: "t", device: "d", key: "k", ended: "1.x", next: "2.y",
                trigger: nil, isAttempt: true, times: .init(began: nil, committed: nil, finished: 1), items: [],
                accessTokensEndBy: tokens, subject: subject, remains: .init(left: left, opened: left)
            ).signed(with: .p256(chain.key))
            let read = try Receipt(line)
            #expect(read.accessTokensEndBy == tokens)
            #expect(read.subject == subject)
            #expect(read.remains.left == left && read.remains.opened == left)
            #expect(read.trigger == nil)
        }
    }

    @Test(arguments: [nil, [], ["clipboard", "swap"]] as [[String]?])
    func `unobserved entries are decoded as they were encoded, and an older line has none`(names: [String]?) throws {
        let line = try Chain(0).line(1, previous: nil, unobserved: names)
        #expect(try Receipt(line).remains.unobserved == names)
        #expect(String(decoding: line.bytes, as: UTF8.self).contains("\"unobserved\"") == (names != nil))
    }

    @Test(arguments: [#""none""#, "null", "[1]", #"{"a":"b"}"#])
    func `a receipt with a malformed list of unobserved entries is refused`(value: String) throws {
        let chain = try Chain(0)
        let line = try chain.line(1, previous: nil, unobserved: ["a"])
        let text = String(decoding: line.bytes, as: UTF8.self)
        let other = try #require(
            SignedLine(Array(text.replacing(#""unobserved":["a"]"#, with: #""unobserved":"# + value).utf8)))
        #expect(throws: ReceiptFailure.malformed) { try Receipt(other) }
    }

    @Test func `a trust file is decoded as it was encoded`() throws {
        let chain = try Chain(1)
        let anchor = try chain.anchor(1)
        let trust = try ReceiptTrust(bytes: try chain.trust(anchors: [anchor]).bytes)
        #expect(trust.anchors == [anchor])
        #expect(trust.deviceAuthority == chain.authority)
    }

    @Test func `a trust file with an anchor that the verifier would leave out is refused`() throws {
        let chain = try Chain(1)
        let receipt = try #require(chain.lines.first)
        for other in [try chain.anchor(1, by: P256.Signing.PrivateKey()), receipt] {
            let bytes = try chain.trust(anchors: [try chain.anchor(1), other]).bytes
            #expect(throws: ReceiptFailure.malformed) { try ReceiptTrust(bytes: bytes) }
        }
    }
}
