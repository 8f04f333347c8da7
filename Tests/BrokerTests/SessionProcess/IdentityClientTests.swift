// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import BrokerSession
import DeviceHTTPS
import DeviceSettings
import OAuth
import Synchronization
import Testing

@Suite struct IdentityClientTests {
    /// A server that issues numbered nonces and refuses a given number of signed requests.
    private final class Server: HTTPSending {
        let stale: Int
        let suberror: String
        /// The header values of the replies to signed requests, in order.
        private let next: Mutex<[String]>
        private let seen = Mutex<(nonces: Int, requests: [String])>((0, []))

        init(stale: Int, suberror: String = Suberror.staleNonce, next: [String] = []) {
            (self.stale, self.suberror) = (stale, suberror)
            self.next = Mutex(next)
        }

        /// How often a nonce was requested.
        var nonces: Int { seen.withLock { $0.nonces } }

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
            let nonce = body == "done" ? next.withLock { $0.isEmpty ? nil : $0.removeFirst() } : nil
            return HTTPSClient.Response(
                status: status, headers: nonce.map { [(name: "replay-nonce", value: $0)] } ?? [], body: Array(body.utf8)
            )
        }

        func download(
            _ url: String, limit: Int, into sink: @Sendable ([UInt8]) async throws -> Void
        ) async throws -> Int { 404 }
    }

    @Test(arguments: [(135_011, BrokerError.Reason.deviceDisabled), (50_155, .deviceRemoved)])
    func `an app is told in the same words as by a test device why the platform refuses the device`(
        number: Int, reason: BrokerError.Reason
    ) {
        let known = BrokerError(OAuthError(.invalidGrant, number: number, description: "x"))
        #expect(known.reason == reason && known.message == "\(reason.message) (AADSTS\(number))")
        #expect(!reason.message.isEmpty)
    }

    @discardableResult
    private func post(_ server: Server, with nonces: NonceStore? = nil) async throws -> [UInt8] {
        let client = IdentityClient(https: server, loginURL: "https://login.test", tenant: "t")
        return try await client.post(with: nonces) { PrimaryRefreshToken.form(request: $0) }
    }

    @Test func `the nonce of a reply is used once, to sign the next request`() async throws {
        let server = Server(stale: 0, next: ["h1", "h2"])
        let nonces = NonceStore()
        for _ in 0..<4 { try await post(server, with: nonces) }
        #expect(server.requests == ["n1", "h1", "h2", "n2"])
        #expect(server.nonces == 2)
    }

    @Test func `a reply's nonce that the server no longer accepts is replaced by a fetched one, once`() async throws {
        let nonces = NonceStore()
        nonces.keep("h0")
        let server = Server(stale: 1)
        try await post(server, with: nonces)
        #expect(server.requests == ["h0", "n1"])
        let stubborn = Server(stale: 9)
        nonces.keep("h0")
        let refusal = await #expect(throws: OAuthError.self) { try await post(stubborn, with: nonces) }
        #expect(refusal?.suberror == Suberror.staleNonce)
        #expect(stubborn.requests == ["h0", "n1"])
    }

    @Test func `if replies contain no nonce, one is fetched for each request`() async throws {
        let server = Server(stale: 0)
        let nonces = NonceStore()
        for _ in 0..<2 { try await post(server, with: nonces) }
        #expect(server.requests == ["n1", "n2"])
    }

    @Test func `a stale nonce is replaced by a fetched one, once`() async throws {
        let server = Server(stale: 1)
        #expect(try await post(server) == Array("done".utf8))
        #expect(server.requests == ["n1", "n2"])
        let stubborn = Server(stale: 9)
        let refusal = await #expect(throws: OAuthError.self) { try await post(stubborn) }
        #expect(refusal?.suberror == Suberror.staleNonce)
        #expect(stubborn.requests == ["n1", "n2"])
    }

    @Test func `after any other refusal the request is not repeated`() async throws {
        let server = Server(stale: 1, suberror: Suberror.replayedRequest)
        await #expect(throws: OAuthError.self) { try await post(server) }
        #expect(server.requests == ["n1"])
    }

    /// A server that answers every request with 503.
    private struct BusyServer: HTTPSending {
        let body: String

        func send(_ request: HTTPSClient.Request) async throws -> HTTPSClient.Response {
            HTTPSClient.Response(
                status: 503, headers: [(name: "retry-after", value: "5")], body: Array(body.utf8))
        }

        func download(
            _ url: String, limit: Int, into sink: @Sendable ([UInt8]) async throws -> Void
        ) async throws -> Int { 503 }
    }

    @Test(arguments: [
        #"{"error":"temporarily_unavailable","error_description":"AADSTS90033: x","error_codes":[90033]}"#,
        #"{"code":"temporarily_unavailable","message":"x"}"#, "<html>No server is available.</html>", "",
    ])
    func `a server that cannot serve at the moment refuses neither the worker nor the device`(
        body: String
    ) async throws {
        let client = IdentityClient(https: BusyServer(body: body), loginURL: "https://login.test", tenant: "t")
        let error = await #expect(throws: (any Error).self) {
            try await client.post(signed: { PrimaryRefreshToken.form(request: $0) })
        }
        let shown = BrokerError(reading: try #require(error))
        #expect(shown.code == .serverError && !shown.meansDevice && shown.reason == nil)
    }

    @Test func `an ended session is forgotten only if the server no longer knows the device`() throws {
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
