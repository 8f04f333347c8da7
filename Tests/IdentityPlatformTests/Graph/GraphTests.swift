// SPDX-License-Identifier: Apache-2.0
import CryptoExtras
import HTTPTypes
import Hummingbird
import IdentityPlatform
import JSON
import OAuth
import Storage
import TestSupport
import Testing

@Suite struct GraphTests {
    @Test func `select returns the named properties and no others`() async throws {
        let fixture = try await TestPlatform()
        let token = try await fixture.signedIn().string(ReplyName.accessToken)
        let me = try await fixture.me(token, select: "?$select=displayName,jobTitle,accountEnabled")
        #expect(
            try me.json.values.filter { $0.key != "@odata.etag" } == [
                "@odata.context": .string(
                    "https://graph.test:8443/v1.0/$metadata#users(displayName,jobTitle,accountEnabled)/$entity"),
                "displayName": .string("Amara Okafor"), "jobTitle": .string("Nurse"), "accountEnabled": .bool(true),
            ])
        let standard = try await fixture.me(token).json
        #expect(standard.values.count == 13)
        #expect(standard.values["accountEnabled"] == nil)
        let unknown = try await fixture.me(token, select: "?$select=password")
        #expect(unknown.status == .badRequest)
        #expect(try unknown.graphCode == "Request_UnsupportedQuery")
    }

    @Test func `a bearer token that is missing, tampered with, expired or of another kind is refused`() async throws {
        let fixture = try await TestPlatform()
        let tokens = try await fixture.signedIn()
        let token = try tokens.string(ReplyName.accessToken)
        let parts = token.split(separator: ".").map(String.init)
        let payload = String(decoding: try CompactJWS(token).rawPayload, as: UTF8.self)
        let claims = Array(payload.replacing("Amara Okafor", with: "Amara Okafox").utf8)
        let unsigned = "\(Base64URL.encode(Array(#"{"alg":"none"}"#.utf8))).\(parts[1])."
        for bad in [
            "", "x", "a.b.c", "\(parts[0]).\(Base64URL.encode(claims)).\(parts[2])", unsigned,
            try tokens.string(ReplyName.idToken),
        ] {
            let answer = try await fixture.me(bad)
            #expect(answer.status == .unauthorized)
            #expect(try answer.graphCode == "InvalidAuthenticationToken")
            #expect(answer.headers[.wwwAuthenticate] != nil)
        }
        #expect(try await fixture.client.get("/v1.0/me", host: "graph.test").status == .unauthorized)
        fixture.clock.advance(by: .seconds(3599))
        #expect(try await fixture.me(token).status == .ok)
        fixture.clock.advance(by: .seconds(1))
        #expect(try await fixture.me(token).status == .unauthorized)
    }

    @Test func `only a token whose session has ended gets a claims challenge`() async throws {
        let fixture = try await TestPlatform()
        let token = try await fixture.signedIn().string(ReplyName.accessToken)
        let challenge = try #require(try await fixture.me("x").headers[.wwwAuthenticate])
        #expect(challenge.contains("error=\"invalid_token\"") && !challenge.contains("claims="))
        try await fixture.administration.users.revokeSessions(of: fixture.amara)
        fixture.clock.advance(by: .seconds(7))
        let ended = try await fixture.me(token)
        #expect(ended.status == .unauthorized)
        let field = try #require(ended.headers[.wwwAuthenticate])
        #expect(field.hasPrefix("Bearer ") && field.contains("error=\"insufficient_claims\""))
        let encoded = try #require(field.split(separator: "claims=\"").last?.prefix { $0 != "\"" })
        let claims = try Members(decoding: try Base64.decode(String(encoded)))
        let notBefore = claims.values["access_token"]?.object?["nbf"]?.object
        #expect(notBefore == ["essential": .bool(true), "value": .string("\(fixture.clock.now.seconds)")])
    }

    @Test func `a token signed with another key is refused, whichever key it names`() async throws {
        let fixture = try await TestPlatform()
        let token = try CompactJWS(try await fixture.signedIn().string(ReplyName.accessToken))
        let own = try await fixture.platform.keys.current(of: fixture.tenant.id)
        #expect(try await fixture.me(try own.signer.token(payload: token.rawPayload)).status == .ok)
        let other = try await TestPlatform(firstKey: 100)
        let foreign = try await other.platform.keys.current(of: other.tenant.id)
        let fresh = SigningKey.rsa(try _RSA.Signing.PrivateKey(keySize: .bits2048))
        for signer in [foreign.signer, TokenSigner(key: fresh, keyID: own.id), TokenSigner(key: fresh, keyID: "x")] {
            #expect(try await fixture.me(try signer.token(payload: token.rawPayload)).status == .unauthorized)
        }
    }

    @Test func `an unknown Graph path returns 404 in Graph's error format`() async throws {
        let fixture = try await TestPlatform()
        let answer = try await fixture.client.get("/v1.0/planner", host: "graph.test")
        #expect(answer.status == .notFound)
        #expect(try answer.graphCode == "Request_ResourceNotFound")
    }
}

extension TestResponse {
    var graphCode: String? {
        get throws {
            guard case .object(let error) = try json.values["error"] else { return nil }
            return error["code"]?.string
        }
    }
}
