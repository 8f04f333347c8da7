// SPDX-License-Identifier: Apache-2.0
import Authenticator
import BrokerProtocol
import OAuth
import Synchronization
import Testing

@Suite struct IdentityClientTests {
    /// A server that gives numbered nonces and refuses the first so many signed requests.
    private final class Server: HTTPSending {
        let stale: Int
        let suberror: String
        private let seen = Mutex<(nonces: Int, requests: [String])>((0, []))

        init(stale: Int, suberror: String = Suberror.staleNonce) {
            (self.stale, self.suberror) = (stale, suberror)
        }

        var requests: [String] { seen.withLock { $0.requests } }

        func send(_ request: HTTPSClient.Request) async throws -> HTTPSClient.Response {
            let form = try FormParameters(parsing: request.body ?? [])
            let (status, body) = seen.withLock { seen -> (Int, String) in
                guard let signed = form[ParameterName.request] else {
                    seen.nonces += 1
                    return (200, #"{"Nonce":"n\#(seen.nonces)"}"#)
                }
                seen.requests.append(signed)
                return seen.requests.count <= stale
                    ? (400, #"{"error":"invalid_grant","error_codes":[1],"suberror":"\#(suberror)"}"#) : (200, "done")
            }
            return HTTPSClient.Response(status: status, headers: [], body: Array(body.utf8))
        }

        func download(
            _ url: String, limit: Int, into sink: @Sendable ([UInt8]) async throws -> Void
        ) async throws -> Int { 404 }
    }

    private func post(_ server: Server) async throws -> [UInt8] {
        let client = IdentityClient(https: server, loginURL: "https://login.test", tenant: "t")
        return try await client.post { PrimaryRefreshToken.form(request: $0) }
    }

    @Test func `a nonce that went stale is fetched anew, once`() async throws {
        let server = Server(stale: 1)
        #expect(try await post(server) == Array("done".utf8))
        #expect(server.requests == ["n1", "n2"])
        let stubborn = Server(stale: 9)
        let refusal = await #expect(throws: OAuthError.self) { try await post(stubborn) }
        #expect(refusal?.suberror == Suberror.staleNonce)
        #expect(stubborn.requests == ["n1", "n2"])
    }

    @Test func `another refusal is not tried again`() async throws {
        let server = Server(stale: 1, suberror: Suberror.replayedRequest)
        await #expect(throws: OAuthError.self) { try await post(server) }
        #expect(server.requests == ["n1"])
    }

    @Test func `an ended session is forgotten only where the server knows the device no more`() throws {
        let ended = EndedSession(
            serverSession: "s", epoch: try #require(Epoch("1." + String(repeating: "0", count: 32))), fromBrowser: false
        )
        func refusal(_ number: Int) -> OAuthError { OAuthError(.invalidGrant, number: number, description: "") }
        #expect(ended.isSettled(by: refusal(50155)))
        for number in [0, 50013, 5_000_611, 5_000_612, 5_000_615, 5_000_616, 90002, 90033] {
            #expect(!ended.isSettled(by: refusal(number)))
        }
    }
}
