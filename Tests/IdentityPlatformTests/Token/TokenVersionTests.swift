// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import IdentityPlatform
import JSON
import OAuth
import Storage
import TestSupport
import Testing

/// Tests version 1 of the token endpoint.
@Suite struct TokenVersionTests {
    private func older(_ fixture: TestPlatform, _ changes: [String: String?] = [:]) async throws -> TestResponse {
        var fields: [String: String?] = [
            "grant_type": "password", "client_id": fixture.app.id.rawValue, "username": "amara@contoso.test",
            "password": TestPlatform.password, "resource": "https://graph.microsoft.com", "scope": "openid",
        ]
        for (name, value) in changes { fields[name] = value }
        let body = fields.compactMap { name, value in value.map { "\(name)=\(percentEncoded($0))" } }.sorted()
        return try await fixture.client.send(
            .post, "/\(fixture.tenant.id)/oauth2/token", body: body.joined(separator: "&"))
    }

    private func fixture() async throws -> TestPlatform {
        try await TestPlatform { $0.compatibility.passwordGrant = true }
    }

    @Test func `version 1 replies have numbers as texts, name the resource and always contain a refresh token`()
        async throws
    {
        let fixture = try await fixture()
        let reply = try await older(fixture).json
        #expect(try reply.string(ReplyName.expiresIn) == "3600")
        #expect(try reply.string(ReplyName.extendedExpiresIn) == "3600")
        #expect(try reply.string(ReplyName.expiresOn) == "1800003600")
        #expect(try reply.string(ReplyName.notBefore) == "1800000000")
        #expect(try reply.string(ReplyName.resource) == "https://graph.microsoft.com")
        #expect(try reply.string(ReplyName.scope) == "User.Read")
        #expect(try reply.string(ReplyName.tokenType) == "Bearer")

        let again = try await older(
            fixture,
            [
                "grant_type": "refresh_token", "refresh_token": try reply.string(ReplyName.refreshToken),
                "resource": nil, "scope": nil,
            ]
        ).json
        #expect(try again.string(ReplyName.resource) == "https://graph.microsoft.com")
        let other = try await older(
            fixture,
            [
                "grant_type": "refresh_token", "refresh_token": try again.string(ReplyName.refreshToken),
                "resource": "00000003-0000-0000-c000-000000000000", "scope": nil,
            ]
        ).json
        #expect(try other.string(ReplyName.resource) == "00000003-0000-0000-c000-000000000000")
    }

    @Test func `version 1 tokens have version 1 claims and are accepted like version 2 tokens`() async throws {
        let fixture = try await fixture()
        let reply = try await older(fixture).json
        let issuer = "https://login.test:8443/\(fixture.tenant.id)/"
        let text = try reply.string(ReplyName.accessToken)
        let access = try CompactJWS(text).claims()
        #expect(try access.string(ClaimName.issuer) == issuer)
        #expect(try access.string(ClaimName.version) == "1.0")
        #expect(try access.string(ClaimName.audience) == "https://graph.microsoft.com")
        #expect(try access.string(ClaimName.appID) == fixture.app.id.rawValue)
        #expect(try access.string(ClaimName.appIDAuthenticationClass) == "0")
        #expect(try access.string(ClaimName.userPrincipalName) == "amara@contoso.test")
        #expect(try access.string(ClaimName.uniqueName) == "amara@contoso.test")
        #expect(try access.optionalString(ClaimName.preferredUsername) == nil)
        #expect(try access.optionalString(ClaimName.authorizedParty) == nil)
        #expect(try await fixture.me(text).status == .ok)

        let identity = try CompactJWS(try reply.string(ReplyName.idToken)).claims()
        #expect(try identity.string(ClaimName.issuer) == issuer)
        #expect(try identity.string(ClaimName.version) == "1.0")
        #expect(try identity.string(ClaimName.audience) == fixture.app.id.rawValue)
        #expect(try identity.string(ClaimName.userPrincipalName) == "amara@contoso.test")
        #expect(try identity.string(ClaimName.uniqueName) == "amara@contoso.test")
        #expect(try identity.optionalString(ClaimName.preferredUsername) == nil)
    }

    @Test func `version 1 tokens name the published certificate of their key`() async throws {
        let fixture = try await fixture()
        let token = try await older(fixture).json.string(ReplyName.accessToken)
        let header = try Members(decoding: try Base64URL.decode(token.split(separator: ".")[0]))
        let thumbprint = try header.string(HeaderName.certificateThumbprint)
        let document = try await fixture.client.get("/\(fixture.tenant.id)/discovery/v2.0/keys").json
        guard case .array(let keys) = document[JSONWebKeyName.keys] else {
            Issue.record("no keys")
            return
        }
        let found = keys.compactMap(\.object).first { $0["x5t"] == .string(thumbprint) }
        #expect(found?["kid"] == .string(try header.string(HeaderName.keyID)))
        guard case .array(let chain)? = found?["x5c"], case .string(let certificate)? = chain.first else {
            Issue.record("no certificate")
            return
        }
        #expect(Data(base64Encoded: certificate) != nil)
        // The certificate is generated again at each start, and must not change.
        let restarted = try await fixture.restarted().client.get("/\(fixture.tenant.id)/discovery/v2.0/keys")
        #expect(
            restarted.text.contains(certificate.replacing("/", with: "\\/")) || restarted.text.contains(certificate))
    }

    @Test func `a token with a version other than its issuer's is refused`() async throws {
        let fixture = try await fixture()
        let token = try CompactJWS(try await older(fixture).json.string(ReplyName.accessToken))
        let key = try await fixture.platform.keys.current(of: fixture.tenant.id)
        var members = MembersWriter()
        for (name, value) in try token.claims().values {
            switch value {
            case .string(let text): members.set(AnyName(name), name == "ver" ? "2.0" : text)
            case .integer(let number): members.set(AnyName(name), number)
            default: break
            }
        }
        #expect(try await fixture.me(try key.signer.token(payload: members.bytes)).status == .unauthorized)
    }
}

private struct AnyName: WireName {
    let rawValue: String
    init(_ rawValue: String) { self.rawValue = rawValue }
    init?(rawValue: String) { self.rawValue = rawValue }
}
