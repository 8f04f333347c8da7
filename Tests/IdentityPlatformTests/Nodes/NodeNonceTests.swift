// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import IdentityPlatform
import OAuth
import Redaction
import Storage
import StorageTestSupport
import TestSupport
import Testing

/// The nonces of signed requests, with two nodes over one database.
@Suite struct NodeNonceTests {
    /// A kind of signed request.
    enum Kind: CaseIterable {
        case use, renewal, issue, deviceToken, endSession, status, offlineLeases, leave, browser
    }

    /// Signs a request with a nonce of `node`, and returns a function that sends the request to any node and returns
    /// whether that node accepted it.
    private func request(
        _ kind: Kind, _ session: TestDeviceSession, nonceOf node: TestPlatform
    ) async throws -> @Sendable (TestPlatform) async throws -> Bool {
        let device = session.testDevice
        let (tenant, signer) = (node.tenant.id.rawValue, CallSigner(device: device))
        @Sendable func token(_ form: FormParameters) -> @Sendable (TestPlatform) async throws -> Bool {
            { try await $0.client.send(.post, EndpointPath.token(tenant: tenant), body: form.encoded).status == .ok }
        }
        let nonce = try await device.at(node).nonce()
        switch kind {
        case .use: return token(PrimaryRefreshToken.form(request: try await session.useRequest(nonce: nonce)))
        case .renewal: return token(PrimaryRefreshToken.form(request: try await session.at(node).renewal()))
        case .issue:
            let issue = PrimaryRefreshToken.IssueRequest(
                clientID: WellKnownApplication.broker, nonce: nonce, scopes: PrimaryRefreshToken.scopes,
                proof: .refreshToken(Sensitive(session.brokerRefreshToken)), epoch: TestDevice.epoch(session.counter))
            return token(
                PrimaryRefreshToken.form(
                    request: try issue.signed(with: .rsa(device.deviceKey), certificate: device.certificate)))
        case .deviceToken:
            return token(
                try DeviceTokenGrantRequest(
                    clientID: node.app.id.rawValue, redirectURI: "msauth.test://auth", scopes: Scopes([]),
                    resource: "https://graph.microsoft.com", nonce: nonce
                ).form(
                    signedWith: .rsa(device.deviceKey), certificate: device.certificate,
                    audience: "https://login.test:8443\(EndpointPath.token(tenant: tenant))"))
        case .endSession:
            return try signer.call(
                EndSessionRequest(
                    try device.binding(EndSessionRequest.self, nonce: nonce),
                    sessionID: try #require(session.reply.sessionID),
                    epoch: try #require(TestDevice.epoch(session.counter)), endsBrowserSession: false))
        case .status:
            return try signer.call(
                SessionStatusRequest(
                    try device.binding(SessionStatusRequest.self, nonce: nonce),
                    epoch: try #require(TestDevice.epoch(session.counter)), sessionID: session.reply.sessionID))
        case .offlineLeases:
            return try signer.call(
                OfflineQuestion(
                    try device.binding(OfflineQuestion.self, nonce: nonce), sessionID: session.reply.sessionID,
                    held: []))
        case .leave: return try signer.call(LeaveRequest(try device.binding(LeaveRequest.self, nonce: nonce)))
        case .browser:
            let credential = try await session.credential(nonce: nonce)
            let name = try #require(HTTPField.Name("x-ms-RefreshTokenCredential"))
            return { node in
                let answer = try await Browser(node).get(
                    AuthorizeQuery(node, ["prompt": "none"]).path, [name: credential])
                return try answer.headers[.location] != nil && answer.returned()[ParameterName.code] != nil
            }
        }
    }

    private struct CallSigner {
        let device: TestDevice

        func call<Call: DeviceCall>(_ call: Call) throws -> @Sendable (TestPlatform) async throws -> Bool {
            let signed = try call.signed(with: .rsa(device.deviceKey), certificate: device.certificate)
            return { node in
                try await node.client.send(
                    .post, Call.path(tenant: node.tenant.id.rawValue), body: Call.form(signed).encoded
                ).status == .ok
            }
        }
    }

    @Test(arguments: Kind.allCases, SharedBackend.allCases)
    func `a request with one node's nonce is accepted by the other node, once in all`(
        kind: Kind, backend: SharedBackend
    ) async throws {
        let (first, second) = try await backend.nodes()
        let session = try await TestDevice.joined(first).session()
        let send = try await request(kind, session, nonceOf: first)
        #expect(try await send(second))
        #expect(try await !send(first))
        #expect(try await !send(second))
        let third = try await first.restarted()
        #expect(try await !send(third))
    }

    @Test func `a caller's accepted requests are limited, and copies of a request do not count`() async throws {
        let (first, second) = try await SharedBackend.turns.nodes { $0.requestsPerCaller = 3 }
        let session = try await TestDevice.joined(first).session()
        for number in 0..<4 {
            let request = PrimaryRefreshToken.form(request: try await session.useRequest())
            let answer = try await session.testDevice.send(request)
            #expect((answer.status == .ok) == (number < 3), "\(answer.text)")
            for _ in 0..<3 where number < 3 { #expect(try await session.testDevice.send(request).status != .ok) }
        }
        // The limit does not affect other callers or other nodes.
        #expect(try await session.testDevice.status(counter: 1, sessionID: session.reply.sessionID) == .live)
        #expect(try await session.at(second).use().status == .ok)
        first.clock.advance(by: .seconds(600))
        #expect(try await session.use().status == .ok)
    }

    @Test func `of many copies of one request at two nodes, one is accepted`() async throws {
        let (first, second) = try await SharedBackend.postgreSQL.nodes()
        let session = try await TestDevice.joined(first).session()
        let send = try await request(.use, session, nonceOf: first)
        let accepted = try await simultaneously(16) { try await send($0 % 2 == 0 ? first : second) }
        #expect(accepted.count { $0 } == 1)
    }
}
