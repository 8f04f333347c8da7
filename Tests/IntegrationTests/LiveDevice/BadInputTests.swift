// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import MSAL
import TestSupport
import Testing

extension LiveDevice {
    /// Invalid input closes only its own connection; a request that the broker refuses gets the documented error.
    @Suite struct BadInputTests {
        /// Runs `body` with a misbehaving connection, and expects that another connection is served before and after.
        private func besideAnother(
            _ live: LiveEnvironment, greets: Bool = true, _ body: (RawApp) async throws -> Void
        ) async throws {
            let (bad, good) = (try RawApp(live), try RawApp(live))
            try await good.greet()
            if greets { try await bad.greet() }
            try await body(bad)
            let error = try await good.refusal(BrokerProtocol.Operation(rawValue: "unknown"), FlatMap())
            #expect(error.code == .unsupported)
            #expect(try await live.app(1).isSharedDevice())
        }

        static let noMessages: [[UInt8]] = [
            [], Array("not JSON".utf8), Array("{".utf8), Array("[]".utf8), Array("{}".utf8), [0xff, 0xfe, 0x00],
            Array(#"{"sso_request_id":"","sso_request_operation":"login","sso_request_param":{}}"#.utf8),
            Array(#"{"sso_request_id":"1","sso_request_operation":"login","sso_request_param":[]}"#.utf8),
            Array(String(repeating: "[", count: 100_000).utf8),
        ]

        @Test(arguments: noMessages)
        func `a frame that is not a message ends its connection`(frame: [UInt8]) async throws {
            let live = try await LiveEnvironment.ready()
            try await besideAnother(live) { bad in
                try bad.send(frame: frame)
                #expect(try await bad.answer() == .ended)
            }
        }

        @Test(arguments: [[0xff, 0xff, 0xff, 0xff], [0x00, 0x10, 0x00, 0x01]] as [[UInt8]])
        func `a frame over the limit ends its connection before it is read`(length: [UInt8]) async throws {
            let live = try await LiveEnvironment.ready()
            try await besideAnother(live) { bad in
                try bad.send(raw: length)
                #expect(try await bad.answer() == .ended)
            }
        }

        @Test func `only a served app may send a long frame`() async throws {
            let live = try await LiveEnvironment.ready()
            var random = SystemRandomNumberGenerator()
            // The padded message is still valid JSON.
            let padding = [UInt8](repeating: UInt8(ascii: " "), count: 70_000)
            try await besideAnother(live, greets: false) { bad in
                let hello = ClientMessage.hello(ClientHello(clientName: "raw", clientVersion: "1"))
                try bad.send(frame: hello.bytes + padding)
                #expect(try await bad.answer() == .ended)
            }
            let client = ClientRequest(clientID: live.facts.apps[0].clientID)
            let request = ClientMessage.request(
                Request(id: "1", operation: .getDeviceInfo, parameters: client.entries, isSilent: true))
            for endedEpoch in [nil, Epoch(random: &random, counter: 1)] {
                try await besideAnother(live, greets: false) { app in
                    try await app.greet(endedEpoch: endedEpoch)
                    try app.send(frame: request.bytes + padding)
                    let isAnswered = if case .message(.reply) = try await app.answer() { true } else { false }
                    #expect(isAnswered == (endedEpoch == nil))
                }
            }
        }

        @Test func `a request before the hello is not answered`() async throws {
            let live = try await LiveEnvironment.ready()
            try await besideAnother(live, greets: false) { bad in
                let parameters = ClientRequest(clientID: live.facts.apps[0].clientID).entries
                try bad.send(
                    .request(Request(id: "1", operation: .getDeviceInfo, parameters: parameters, isSilent: true)))
                #expect(try await bad.answer() == .ended)
            }
        }

        @Test func `an unsupported transport ends the connection`() async throws {
            let live = try await LiveEnvironment.ready()
            try await besideAnother(live, greets: false) { bad in
                try bad.send(.hello(ClientHello(transports: 90...99, clientName: "raw", clientVersion: "1")))
                #expect(try await bad.answer() == .ended)
            }
        }

        @Test func `a second hello ends the connection`() async throws {
            let live = try await LiveEnvironment.ready()
            try await besideAnother(live) { bad in
                try bad.send(.hello(ClientHello(clientName: "raw", clientVersion: "1")))
                #expect(try await bad.answer() == .ended)
            }
        }

        @Test func `an unsupported request is refused with a code, and the connection stays open`() async throws {
            let live = try await LiveEnvironment.ready()
            let amara = try await live.signIn("Amara", through: try live.app(1))
            let app = live.facts.apps[0]
            let raw = try RawApp(live)
            try await raw.greet()
            func token(_ client: String, _ redirectURI: String) -> FlatMap {
                var request = TokenRequest(
                    client: ClientRequest(clientID: client), redirectURI: redirectURI,
                    authority: live.facts.authority, scopes: ["User.Read"])
                request.homeAccountID = amara.identifier
                return request.entries
            }
            let stranger = "00000000-0000-0000-0000-000000000000"
            #expect(try await raw.refusal(.refresh, token(stranger, app.redirectURI)).code == .unauthorizedClient)
            for redirectURI in [live.facts.apps[1].redirectURI, "msauth.org.example://auth", "http://localhost"] {
                #expect(try await raw.refusal(.refresh, token(app.clientID, redirectURI)).code == .invalidRedirectURI)
            }
            #expect(try await raw.refusal(.refresh, FlatMap()).code == .invalidParameter)
            for operation in [BrokerProtocol.Operation.getAccounts, .currentAccount] {
                let refusal = try await raw.refusal(operation, ClientRequest(clientID: stranger).entries)
                #expect(refusal.code == .unauthorizedClient)
            }
            let other = SignOutRequest(
                client: ClientRequest(clientID: app.clientID), homeAccountID: "somebody.else",
                authority: live.facts.authority, redirectURI: app.redirectURI)
            #expect(try await raw.refusal(.signOut, other.entries).code == .mismatchedAccount)
            // None of this signed anybody out.
            #expect(try await live.app(2).token(of: amara).account == amara)
        }
    }
}
