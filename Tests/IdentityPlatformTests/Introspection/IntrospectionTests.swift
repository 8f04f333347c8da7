// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import IdentityPlatform
import JSON
import OAuth
import Redaction
import Storage
import TestSupport
import Testing

/// Tests token introspection by an application with a secret (RFC 7662).
@Suite struct IntrospectionTests {
    private struct Service {
        let fixture: TestPlatform
        let client: Client
        let secret: String

        init() async throws {
            fixture = try await TestPlatform()
            client = try await fixture.administration.clients.add(
                NewClient(displayName: "Ward service", redirectURIs: [TestPlatform.redirect], isConfidential: true),
                tenant: fixture.tenant)
            secret = try await fixture.administration.clients.addSecret(to: client).text.exposed
        }

        func ask(_ token: String, _ changes: [String: String?] = [:]) async throws -> TestResponse {
            var fields: [String: String?] = [
                "client_id": client.id.rawValue, "client_secret": secret, "token": token,
            ]
            for (name, value) in changes { fields[name] = value }
            let body = fields.compactMap { name, value in value.map { "\(name)=\(percentEncoded($0))" } }
            return try await fixture.client.send(
                .post, "/\(fixture.tenant.id)/oauth2/v2.0/introspect", body: body.joined(separator: "&"))
        }

        func isActive(_ token: String) async throws -> Bool {
            try await ask(token).json.values["active"] == .bool(true)
        }
    }

    @Test func `a valid access token is described by its claims`() async throws {
        let service = try await Service()
        let text = try await service.fixture.signedIn().string(ReplyName.accessToken)
        let answer = try await service.ask(text).json
        let claims = try CompactJWS(text).claims()
        #expect(answer.values["active"] == .bool(true))
        #expect(try answer.string(ReplyName.clientID) == service.fixture.app.id.rawValue)
        #expect(try answer.string(ReplyName.username) == "amara@contoso.test")
        #expect(try answer.string(ReplyName.scope) == "User.Read openid profile")
        for name in [ClaimName.subject, .audience, .issuer, .sessionID, .tenantID, .objectID] {
            #expect(try answer.string(name) == claims.string(name))
        }
        #expect(try answer.integer(ClaimName.expiresAt) == claims.integer(ClaimName.expiresAt))
    }

    @Test func `a token is inactive as soon as its session has ended`() async throws {
        let service = try await Service()
        let fixture = service.fixture
        let text = try await fixture.signedIn().string(ReplyName.accessToken)
        #expect(try await service.isActive(text))
        try await fixture.administration.users.setPassword(Sensitive("another password"), of: fixture.amara)
        let answer = try await service.ask(text)
        #expect(answer.text == "{\"active\":false}")
        #expect(try await service.ask("x").text == answer.text)
        #expect(try await service.ask("\(text)x").text == answer.text)
        let bo = try await fixture.signedIn("bo@contoso.test").string(ReplyName.accessToken)
        fixture.clock.advance(by: .seconds(3600))
        #expect(try await service.ask(bo).text == answer.text)
    }

    @Test func `a refresh token is described to its own client only, and not after its use`() async throws {
        let service = try await Service()
        let fixture = service.fixture
        let foreign = try await fixture.signedIn().string(ReplyName.refreshToken)
        #expect(try await !service.isActive(foreign))
        let code = try await Browser(fixture).signIn(
            AuthorizeQuery(fixture, ["client_id": service.client.id.rawValue]))[ParameterName.code]
        let proof = ["client_id": service.client.id.rawValue, "client_secret": service.secret]
        let own = try await fixture.redeem(code, proof).json.string(ReplyName.refreshToken)
        #expect(try await service.isActive(own))
        #expect(try await fixture.refresh(own, proof).status == .ok)
        #expect(try await !service.isActive(own))
    }

    @Test func `a client without a secret gets no information`() async throws {
        let service = try await Service()
        let text = try await service.fixture.signedIn().string(ReplyName.accessToken)
        #expect(try await service.ask(text, ["client_secret": nil]).errorNumber == 7_000_218)
        #expect(try await service.ask(text, ["client_secret": "x"]).errorNumber == 7_000_215)
        let other = ["client_id": service.fixture.app.id.rawValue, "client_secret": nil]
        let refused = try await service.ask(text, other)
        #expect(refused.status == .unauthorized)
        #expect(refused.errorNumber == 7_000_221)
    }
}
