// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import IdentityPlatform
import OAuth
import Redaction
import Storage
import TestSupport
import Testing

/// An application with a secret must present it with every grant (RFC 6749 section 2.3.1).
@Suite struct ConfidentialClientTests {
    private struct Site {
        let fixture: TestPlatform
        let client: Client
        let secret: String

        func code() async throws -> String? {
            try await Browser(fixture).signIn(
                AuthorizeQuery(fixture, ["client_id": client.id.rawValue]))[ParameterName.code]
        }

        func redeem(_ code: String?, _ changes: [String: String?], basic: String? = nil) async throws -> TestResponse {
            var fields: [String: String?] = [
                "grant_type": "authorization_code", "code": code, "redirect_uri": "http://localhost:4567",
                "code_verifier": AuthorizeQuery.verifier,
            ]
            for (name, value) in changes { fields[name] = value }
            let body = fields.compactMap { name, value in value.map { "\(name)=\(percentEncoded($0))" } }
            return try await fixture.client.send(
                .post, "/\(fixture.tenant.id)/oauth2/v2.0/token",
                headers: basic.map { [.authorization: "Basic \(Data($0.utf8).base64EncodedString())"] } ?? [:],
                body: body.joined(separator: "&"))
        }
    }

    private func site(algorithm: SignatureAlgorithm = .rs256) async throws -> Site {
        let fixture = try await TestPlatform()
        let client = try await fixture.administration.clients.add(
            NewClient(
                displayName: "Site", redirectURIs: [TestPlatform.redirect], isConfidential: true,
                tokenAlgorithm: algorithm),
            tenant: fixture.tenant)
        return Site(
            fixture: fixture, client: client,
            secret: try await fixture.administration.clients.addSecret(to: client).text.exposed)
    }

    @Test func `the secret is accepted in the header and in the form`() async throws {
        let site = try await site()
        let id = site.client.id.rawValue
        let posted = try await site.redeem(try await site.code(), ["client_id": id, "client_secret": site.secret])
        #expect(posted.status == .ok, "\(posted.text)")
        let claims = try CompactJWS(try posted.json.string(ReplyName.accessToken)).claims()
        #expect(try claims.string(ClaimName.appIDAuthenticationClass) == "1")
        let basic = try await site.redeem(try await site.code(), [:], basic: "\(id):\(site.secret)")
        #expect(basic.status == .ok, "\(basic.text)")
        let refresh = try basic.json.string(ReplyName.refreshToken)
        let bare = try await site.fixture.refresh(refresh, ["client_id": id])
        #expect(bare.errorNumber == 7_000_218)
        let again = try await site.fixture.refresh(refresh, ["client_id": id, "client_secret": site.secret])
        #expect(again.status == .ok)
    }

    @Test func `without the right secret no token is issued, and the code stays valid`() async throws {
        let site = try await site()
        let id = site.client.id.rawValue
        let code = try await site.code()
        for (changes, basic, number) in [
            (["client_id": id], nil, 7_000_218), (["client_id": id, "client_secret": "x"], nil, 7_000_215),
            ([:], "\(id):x", 7_000_215), ([:], "\(id):", 7_000_218),
            (["client_id": id, "client_secret": site.secret], "\(id):\(site.secret)", 7_000_219),
            (["client_id": site.fixture.app.id.rawValue], "\(id):\(site.secret)", 7_000_219),
            ([:], "no colon", 9_002_313), ([:], "\(site.fixture.app.id):x", 700025),
        ] as [([String: String?], String?, Int)] {
            let answer = try await site.redeem(code, changes, basic: basic)
            #expect(answer.errorNumber == number, "\(changes) \(basic ?? "")")
            if answer.status == .unauthorized { #expect(answer.headers[.wwwAuthenticate]?.hasPrefix("Basic ") == true) }
            #expect((answer.status == .unauthorized) == (try answer.json.string(ReplyName.error) == "invalid_client"))
        }
        #expect(try await site.redeem(code, [:], basic: "\(id):\(site.secret)").status == .ok)
    }

    @Test func `a client can have several secrets, which expire and can be removed`() async throws {
        let site = try await site()
        let administration = site.fixture.administration
        let second = try await administration.clients.addSecret(to: site.client)
        let code = try await site.code()
        func answer(_ secret: String) async throws -> Int? {
            try await site.redeem(
                code, ["code_verifier": "short"], basic: "\(site.client.id):\(secret)"
            ).errorNumber
        }
        #expect(try await answer(site.secret) == 501481)
        #expect(try await answer(second.text.exposed) == 501481)
        try await administration.clients.removeSecret(second.secret.id, of: site.client)
        #expect(try await answer(second.text.exposed) == 7_000_215)
        await #expect(throws: AdminRefusal.noSecret) {
            try await administration.clients.removeSecret(second.secret.id, of: site.client)
        }
        site.fixture.clock.advance(by: .seconds(2 * 365 * 86400))
        #expect(try await answer(site.secret) == 7_000_215)
    }

    @Test func `a public client cannot have a secret`() async throws {
        let fixture = try await TestPlatform()
        await #expect(throws: AdminRefusal.publicClient) {
            _ = try await fixture.administration.clients.addSecret(to: fixture.app)
        }
    }

    @Test func `a device's session issues no tokens for a client that has a secret`() async throws {
        let site = try await site()
        let session = try await TestDevice.joined(site.fixture).session()
        let request = try await session.useRequest(redirectURI: nil, clientID: site.client.id.rawValue)
        #expect(try await session.testDevice.send(PrimaryRefreshToken.form(request: request)).errorNumber == 7_000_218)
    }

    @Test func `a confidential client's tokens are signed with its registered algorithm`() async throws {
        let site = try await site(algorithm: .es256)
        let tokens = try await site.redeem(
            try await site.code(), [:], basic: "\(site.client.id):\(site.secret)"
        ).json
        let document = try await site.fixture.client.get("/\(site.fixture.tenant.id)/discovery/v2.0/keys")
        let keys = try JSONWebKeySet(decoding: document.body)
        for name in [ReplyName.idToken, .accessToken] {
            let token = try CompactJWS(try tokens.string(name))
            let key = try #require(token.keyID.flatMap { keys[$0] }).verificationKey()
            #expect(key.algorithm == .es256)
            try token.verify(with: key)
        }
        #expect(try await site.fixture.me(try tokens.string(ReplyName.accessToken)).status == .ok)
    }
}
