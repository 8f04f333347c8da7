// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import MSAL
import TestSupport
import Testing

extension LiveDevice {
    /// A connection may end at any byte.
    @Suite struct CutConnectionTests {
        @Test func `an app whose connection ends inside a frame is gone, and no other is affected`() async throws {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            let amara = try await live.signIn("Amara", through: app)
            let epoch = try await live.status().epoch
            let clientID = try #require(live.facts.apps.first { $0.number == 1 }).clientID
            let request = Request(
                id: "1", operation: .signOut,
                parameters: SignOutRequest(
                    client: ClientRequest(clientID: clientID), homeAccountID: amara.identifier ?? "",
                    authority: live.facts.authority, redirectURI: "msauth.org.example://auth"
                ).entries, isSilent: true)
            let frames = Self.frame(ClientMessage.hello(ClientHello(clientName: "cut", clientVersion: "1")).bytes)
            let whole = frames + Self.frame(ClientMessage.request(request).bytes)
            // Sends every prefix that lacks at least the last byte, because the complete message would be a request.
            for length in 1..<whole.count { try RawApp(live).send(raw: Array(whole[..<length])) }
            #expect(try await app.accounts().current == amara)
            #expect(try await live.status().epoch == epoch)
            #expect(try await live.app(2).token(of: amara).account == amara)
            #expect(try await app.signOut(amara))
            #expect(try live.isClean)
        }

        @Test func `an agent whose connection ends inside a frame takes no other agent's place`() async throws {
            let live = try await LiveEnvironment.ready()
            let hello = Self.frame(Array(#"{"hello":{}}"#.utf8))
            for length in 1..<hello.count {
                try RawApp(live, socket: "run/agent.sock").send(raw: Array(hello[..<length]))
            }
            #expect(try await live.status().agentConnected)
            let app = try live.app(1)
            let amara = try await live.signIn("Amara", through: app)
            for length in 1..<hello.count {
                try RawApp(live, socket: "run/agent.sock").send(raw: Array(hello[..<length]))
            }
            #expect(try await app.signOut(amara))
            #expect(try live.isClean)
        }

        private static func frame(_ body: [UInt8]) -> [UInt8] {
            let length = UInt32(body.count).bigEndian
            return unsafe withUnsafeBytes(of: length) { unsafe Array($0) } + body
        }
    }
}
