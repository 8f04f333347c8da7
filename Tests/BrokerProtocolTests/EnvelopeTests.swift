// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import JSON
import Testing

@Suite struct EnvelopeTests {
    private let epoch = Epoch("7.0123456789abcdef0123456789abcdef")

    @Test func `messages of the client are decoded as they were encoded`() throws {
        let messages: [ClientMessage] = [
            .hello(ClientHello(clientName: "app", clientVersion: "1.2")), .cancel("id"),
            .hello(ClientHello(clientName: "app", clientVersion: "1.2", endedEpoch: epoch, wantsEvents: true)),
            .request(
                Request(
                    id: "id", operation: .refresh, parameters: FlatMap([Key.scope: "a \"quoted\" \\ näme \u{1}"]),
                    isSilent: true)),
        ]
        for message in messages { #expect(try ClientMessage(bytes: message.bytes) == message) }
    }

    @Test func `messages of the broker are decoded as they were encoded`() throws {
        let messages: [BrokerMessage] = [
            .hello(
                BrokerHello(
                    transport: 1, brokerVersion: "0.1", operations: Operation.all, events: BrokerEvent.Name.all,
                    epoch: try #require(epoch))),
            .event(.willEnd(try #require(epoch), milliseconds: 500)), .event(.idle(try #require(epoch), seconds: 60)),
            .event(.unlocked(try #require(epoch))),
            .reply(Reply(requestID: "id", outcome: .success(FlatMap([Key.success: "1"])))),
            .reply(
                Reply(
                    requestID: "id",
                    outcome: .failure(
                        BrokerError(.invalidGrant, "gone", oauthError: "invalid_grant", oauthSuberror: "bad_token")))),
        ]
        for message in messages { #expect(try BrokerMessage(bytes: message.bytes) == message) }
    }

    @Test func `the hello lists each event, and an earlier broker's hello lists none`() throws {
        let epoch = try #require(epoch)
        let events: [BrokerEvent] = [
            .willEnd(epoch, milliseconds: 1), .idle(epoch, seconds: 1), .unlocked(epoch),
        ]
        #expect(events.map(\.name) == BrokerEvent.Name.all)
        for event in events {
            #expect(String(decoding: BrokerMessage.event(event).bytes, as: UTF8.self).contains(event.name.rawValue))
        }
        let text =
            #"{"hello":{"transport":1,"broker_version":"0.1","operations":["login"],"epoch":"7.0123456789abcdef0123456789abcdef"}}"#
        let earlier = BrokerHello(transport: 1, brokerVersion: "0.1", operations: [.login], events: [], epoch: epoch)
        #expect(try BrokerMessage(bytes: Array(text.utf8)) == .hello(earlier))
    }

    @Test func `the order of the members does not matter`() throws {
        let text =
            #"{"sso_request_param":{"scope":"a","b":true,"client_id":"c","n":[{}],"account":7},"#
            + #""sso_request_operation":"refresh","other":{"x":1},"is_silent":true,"sso_request_id":"1"}"#
        let map = FlatMap(["account": "7", "b": "1", "client_id": "c", "scope": "a"])
        let request = Request(id: "1", operation: .refresh, parameters: map, isSilent: true)
        #expect(try ClientMessage(bytes: Array(text.utf8)) == .request(request))
        #expect(try ClientMessage(bytes: ClientMessage.request(request).bytes) == .request(request))
    }

    @Test(arguments: [
        #"{"a":"1","b":"2","a":"3"}"#, #"{"b":"1","a":"2","b":"3"}"#, #"{"a":null,"a":"1"}"#, #"{"a":"1","a":[]}"#,
        "{\"\u{e9}\":\"1\",\"e\u{301}\":\"2\"}", #"{}, "sso_request_param":{}"#, #"{}, "sso_request_param":1"#,
        #"1, "sso_request_param":{}"#, #"{}, "is_silent":true"#,
    ])
    func `a duplicate member is refused, also in the parameters`(parameters: String) throws {
        let text =
            #"{"is_silent":true,"sso_request_id":"1","sso_request_operation":"login","sso_request_param":\#(parameters)}"#
        let failure = try #require(throws: EnvelopeFailure.self) { try ClientMessage(bytes: Array(text.utf8)) }
        guard case .json(let reason) = failure else { throw failure }
        #expect(reason.code == .duplicateKey)
    }

    @Test(arguments: [
        "", "{", "[]", "null", "{}", #"{"hello":1}"#, #"{"hello":{"transport_min":2,"transport_max":1}}"#,
        #"{"hello":{"transport_min":1,"transport_max":1,"ended_epoch":"7"}}"#,
        #"{"sso_request_id":"","sso_request_operation":"login","sso_request_param":{}}"#,
        #"{"sso_request_id":"1","sso_request_operation":"login"}"#,
        #"{"sso_request_id":"1","sso_request_operation":"login","sso_request_param":[]}"#,
        #"{"a":1,"a":2}"#, #"{"a":01}"#, #"{"a":"\ud800"}"#, "{\"a\":\"\u{1}\"}", #"{"a":tru}"#, #"{"a":1}x"#,
    ])
    func `bytes that are not a message are refused without a trap`(text: String) {
        #expect(throws: EnvelopeFailure.self) { try ClientMessage(bytes: Array(text.utf8)) }
    }

    @Test func `a text that is not UTF-8 is refused`() {
        #expect(throws: EnvelopeFailure.self) { try ClientMessage(bytes: [0x22, 0xff, 0xfe, 0x22]) }
    }

    @Test func `nesting depth, members and lengths are limited`() {
        let deep = String(repeating: "[", count: 100_000)
        let wide = "{" + (0..<600).map { "\"\($0)\":1" }.joined(separator: ",") + "}"
        let long = "{\"a\":\"" + String(repeating: "x", count: 70_000) + "\"}"
        for text in [deep, wide, long] {
            #expect(throws: JSONFailure.self) {
                try JSONReader.read(Array(text.utf8), limits: Wire.envelopeLimits)
            }
        }
    }

    @Test func `no change of a few bytes traps the reader`() {
        var random = SplitMix(state: 0xba70)
        let seed = ClientMessage.request(
            Request(
                id: "5E2F", operation: .login, parameters: FlatMap([Key.scope: "a b", Key.claims: #"{"x":"é\n"}"#]),
                isSilent: false)
        ).bytes
        for _ in 0..<20_000 {
            var bytes = seed
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = try? ClientMessage(bytes: bytes)
            _ = try? BrokerMessage(bytes: bytes)
        }
    }

    @Test(arguments: [("1", true), ("0", false), ("true", true), ("YES", true), ("no", false), ("", false)])
    func `flags are parsed as Foundation parses them`(text: String, expected: Bool) {
        #expect(FlatMap([Key.forceRefresh: text]).flag(.forceRefresh, default: false) == expected)
    }

    @Test(arguments: [
        "", "7", "7.xyz", "x.0123456789abcdef0123456789abcdef", "7.0123456789ABCDEF0123456789abcdef",
        "-1.0123456789abcdef0123456789abcdef",
    ])
    func `a malformed epoch is rejected`(text: String) {
        #expect(Epoch(text) == nil)
    }
}

/// A small seeded generator, so that a failing run can be repeated.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
