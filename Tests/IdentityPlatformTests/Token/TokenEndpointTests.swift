// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import IdentityPlatform
import OAuth
import Redaction
import Storage
import TestSupport
import Testing

@Suite struct TokenEndpointTests {
    @Test func `a code is valid once, and its replay revokes the tokens derived from it`() async throws {
        let fixture = try await TestPlatform()
        let code = try await Browser(fixture).signIn(AuthorizeQuery(fixture))[ParameterName.code]
        let tokens = try await fixture.redeem(code).json
        let refresh = try tokens.string(ReplyName.refreshToken)
        #expect(try await fixture.refresh(refresh).status == .ok)
        let replay = try await fixture.redeem(code)
        #expect(replay.status == .badRequest)
        #expect(replay.errorNumber == 54005)
        #expect(try await fixture.refresh(refresh).errorNumber == 70000)
    }

    @Test func `the replay of a code revokes everything derived from it`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        let broker = ["client_id": WellKnownApplication.broker]
        for began in [true, false] {
            let browser = Browser(fixture)
            let query = AuthorizeQuery(
                fixture,
                [
                    "client_id": WellKnownApplication.broker, "scope": "openid offline_access",
                    "prompt": began ? "login" : "consent",
                ])
            var answer = try await browser.submit(
                try await browser.get(query.path), username: "amara@contoso.test", password: TestPlatform.password)
            if !began { answer = try await browser.confirm(answer, choice: "yes") }
            let code = try answer.returned()[ParameterName.code]
            let tokens = try await fixture.redeem(code, broker).json
            let issued = try await testDevice.issue(try tokens.string(ReplyName.refreshToken), counter: began ? 1 : 2)
            let reply = try PrimaryRefreshToken.IssueReply(decoding: issued.body)
            let session = TestDeviceSession(
                testDevice: testDevice, reply: reply, key: try reply.sessionKey(transportKey: testDevice.transportKey),
                counter: 1,
                brokerRefreshToken: "")
            let scopes = ["openid", "offline_access", "User.Read"]
            let app = try await session.tokens(scopes: scopes)

            // A client that has the code but not the verifier cannot end the session.
            #expect(
                try await fixture.redeem(code, ["client_id": WellKnownApplication.broker, "code_verifier": "x"])
                    .errorNumber == 501481)
            #expect(try await session.use().status == .ok)

            #expect(try await fixture.redeem(code, broker).errorNumber == 54005)
            #expect(try await session.use().errorNumber == 70000)
            #expect(try await fixture.refresh(try app.string(ReplyName.refreshToken)).errorNumber == 70000)
            let access = try await fixture.me(try app.string(ReplyName.accessToken))
            #expect(access.status == (began ? .unauthorized : .ok))
        }
        let lines = try await fixture.platform.database.read { try AuditLog($0).latest(50, tenant: fixture.tenant.id) }
        #expect(lines.filter { $0.action == "code.replay" }.count == 2)
    }

    @Test func `a code expires after five minutes`() async throws {
        let fixture = try await TestPlatform()
        let code = try await Browser(fixture).signIn(AuthorizeQuery(fixture))[ParameterName.code]
        fixture.clock.advance(by: .seconds(300))
        let answer = try await fixture.redeem(code)
        #expect(answer.errorNumber == 70008)
        #expect(try answer.json.string(ReplyName.suberror) == "token_expired")
    }

    @Test(
        arguments: [
            (["code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXj"], "invalid_grant", 501481),
            (["code_verifier": "short"], "invalid_grant", 501481), (["code_verifier": nil], "invalid_request", 900144),
            (["redirect_uri": "http://localhost:4568"], "invalid_grant", 500112),
            (["redirect_uri": nil], "invalid_request", 900144), (["code": "1.x.y"], "invalid_grant", 70000),
            (["code": nil], "invalid_request", 900144), (["client_id": nil], "invalid_request", 900144),
            (["client_id": "11111111-1111-1111-1111-111111111111"], "unauthorized_client", 700016),
            (["client_id": "29d9ed98-a469-4536-ade2-f981bc1d605e"], "invalid_grant", 70000),
            (["client_secret": "s"], "invalid_client", 700025),
            (["grant_type": "password"], "unsupported_grant_type", 70003),
            (["grant_type": nil], "invalid_request", 900144),
        ] as [([String: String?], String, Int)])
    func `an invalid redemption is refused and leaves the code valid`(
        changes: [String: String?], error: String, number: Int
    ) async throws {
        let fixture = try await TestPlatform()
        let code = try await Browser(fixture).signIn(AuthorizeQuery(fixture))[ParameterName.code]
        let answer = try await fixture.redeem(code, changes)
        #expect(answer.status == (error == "invalid_client" ? .unauthorized : .badRequest))
        #expect(try answer.json.string(ReplyName.error) == error)
        #expect(answer.errorNumber == number)
        #expect(try answer.json.string(ReplyName.errorDescription).hasPrefix("AADSTS\(number): "))
        #expect(try await fixture.redeem(code).status == .ok)
    }

    @Test func `an on-behalf-of request is refused as an unsupported grant`() async throws {
        let fixture = try await TestPlatform()
        let answer = try await fixture.token([
            "grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": "a.b.c",
            "requested_token_use": "on_behalf_of", "scope": "User.Read",
        ])
        #expect(answer.errorNumber == 70003)
        #expect(try answer.json.string(ReplyName.error) == "unsupported_grant_type")
        #expect(try answer.json.string(ReplyName.errorDescription).contains("on-behalf-of"))
    }

    @Test func `an error has Entra's format and the client's own id`() async throws {
        let fixture = try await TestPlatform()
        let id = "12345678-1234-1234-1234-123456789abc"
        let answer = try await fixture.client.post(
            "/common/oauth2/v2.0/token", form: ["grant_type": "none"],
            headers: [.init("client-request-id") ?? .accept: id])
        let json = try answer.json
        #expect(try json.string(ReplyName.correlationID) == id)
        #expect(try json.string(ReplyName.timestamp) == "2027-01-15 08:00:00Z")
        #expect(try json.string(ReplyName.traceID).count == 36)
        #expect(try json.string(ReplyName.errorDescription).contains("\r\nCorrelation ID: \(id)\r\n"))
    }

    @Test func `malformed and oversized forms are refused`() async throws {
        let fixture = try await TestPlatform()
        let path = "/common/oauth2/v2.0/token"
        #expect(try await fixture.client.send(.post, path, body: "grant_type=%zz").errorNumber == 9_002_313)
        #expect(try await fixture.client.send(.post, path, body: "a=1&a=2").errorNumber == 9_002_313)
        #expect(try await fixture.client.send(.post, path, body: "{}").errorNumber == 900_144)
        let large = try await fixture.client.send(.post, path, body: "a=" + String(repeating: "x", count: 70_000))
        #expect(large.status == .contentTooLarge)
        #expect(large.errorNumber == 90098)
        let many = (0..<65).map { "f\($0)=1" }.joined(separator: "&")
        #expect(try await fixture.client.send(.post, path, body: many).errorNumber == 90098)
        #expect(try await fixture.client.get(path).status == .notFound)
    }

    @Test func `refresh tokens yield new tokens until the first of them would have expired`() async throws {
        let fixture = try await TestPlatform()
        let refresh = try await fixture.signedIn().string(ReplyName.refreshToken)
        let again = try await fixture.refresh(refresh, ["client_info": "1"])
        #expect(again.status == .ok)
        #expect(try await fixture.me(try again.json.string(ReplyName.accessToken)).status == .ok)
        fixture.clock.advance(by: .seconds(14 * 86_400 - 1))
        let last = try await fixture.refresh(try again.json.string(ReplyName.refreshToken)).json
        fixture.clock.advance(by: .seconds(1))
        #expect(try await fixture.refresh(try last.string(ReplyName.refreshToken)).errorNumber == 70008)
    }

    @Test func `a refresh token works only for its own client, tenant and resources`() async throws {
        let fixture = try await TestPlatform()
        let refresh = try await fixture.signedIn().string(ReplyName.refreshToken)
        let broker = try await fixture.refresh(refresh, ["client_id": "29d9ed98-a469-4536-ade2-f981bc1d605e"])
        #expect(broker.errorNumber == 70000)
        let scope = "urn:ms-drs:enterpriseregistration.windows.net/.default"
        #expect(try await fixture.refresh(refresh, ["scope": scope]).errorNumber == 65001)
        let other = try await fixture.administration.tenants.add(displayName: "Fabrikam", domain: "fabrikam.test")
        let foreign = try await fixture.token(
            ["grant_type": "refresh_token", "client_id": fixture.app.id.rawValue, "refresh_token": refresh],
            tenant: other.id.rawValue)
        #expect(foreign.errorNumber == 70000)
        let last: Character = refresh.hasSuffix("A") ? "E" : "A"
        #expect(try await fixture.refresh(String(refresh.dropLast()) + String(last)).errorNumber == 70000)
    }

    @Test func `the broker may get tokens for device registration and for Graph`() async throws {
        let fixture = try await TestPlatform()
        let broker = "29d9ed98-a469-4536-ade2-f981bc1d605e"
        let audience = "urn:ms-drs:enterpriseregistration.windows.net"
        let query = AuthorizeQuery(
            fixture, ["client_id": broker, "scope": "openid offline_access \(audience)/.default"])
        let code = try await Browser(fixture).signIn(query)[ParameterName.code]
        let tokens = try await fixture.redeem(code, ["client_id": broker]).json
        let claims = try CompactJWS(try tokens.string(ReplyName.accessToken)).claims()
        #expect(try claims.string(ClaimName.audience) == audience)
        #expect(try await fixture.me(try tokens.string(ReplyName.accessToken)).status == .unauthorized)
        let graph = try await fixture.refresh(
            try tokens.string(ReplyName.refreshToken), ["client_id": broker, "scope": "User.Read"])
        #expect(try await fixture.me(try graph.json.string(ReplyName.accessToken)).status == .ok)
    }

    @Test func `without offline_access no refresh token is issued`() async throws {
        let fixture = try await TestPlatform()
        let code = try await Browser(fixture).signIn(AuthorizeQuery(fixture, ["scope": "openid"]))[ParameterName.code]
        #expect(try await fixture.redeem(code).json[ReplyName.refreshToken] == nil)
    }

    @Test func `a broker's first token lives no longer than a token of a shared device`() async throws {
        let fixture = try await TestPlatform()
        let tokens = try await fixture.brokerTokens(scope: "openid profile offline_access")
        #expect(try tokens.integer(ReplyName.expiresIn) == 600)
        let claims = try CompactJWS(try tokens.string(ReplyName.accessToken)).claims()
        #expect(try claims.integer(ClaimName.expiresAt) - claims.integer(ClaimName.issuedAt) == 600)
        #expect(try await fixture.signedIn().integer(ReplyName.expiresIn) == 3600)
    }

    @Test func `the reply gives the remaining lifetime of the refresh token`() async throws {
        let fixture = try await TestPlatform()
        let tokens = try await fixture.signedIn()
        #expect(try tokens.integer(ReplyName.refreshTokenExpiresIn) == 14 * 86_400)
        fixture.clock.advance(by: .seconds(86_400))
        let again = try await fixture.refresh(try tokens.string(ReplyName.refreshToken)).json
        #expect(try again.integer(ReplyName.refreshTokenExpiresIn) == 13 * 86_400)
    }

    @Test func `at most one of two simultaneous redemptions yields tokens`() async throws {
        let fixture = try await TestPlatform()
        let code = try await Browser(fixture).signIn(AuthorizeQuery(fixture))[ParameterName.code]
        async let first = fixture.redeem(code)
        async let second = fixture.redeem(code)
        let statuses = try await [first, second].map(\.status.code)
        #expect(statuses.filter { $0 == 200 }.count == 1)
    }

    @Test func `with several tenants, common names a key set that is served`() async throws {
        let fixture = try await TestPlatform()
        let token = try CompactJWS(try await fixture.signedIn().string(ReplyName.idToken))
        _ = try await fixture.administration.tenants.add(displayName: "Fabrikam", domain: "fabrikam.test")
        let document = try await fixture.client.get("/common/v2.0/.well-known/openid-configuration")
        #expect(document.text.contains("/common/discovery/v2.0/keys"))
        let keys = try JSONWebKeySet(decoding: try await fixture.client.get("/common/discovery/v2.0/keys").body)
        try token.verify(with: try #require(keys[token.keyID ?? ""]).verificationKey())
    }
}
