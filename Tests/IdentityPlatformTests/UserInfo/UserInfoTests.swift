// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import IdentityPlatform
import JSON
import OAuth
import Redaction
import Storage
import TestSupport
import Testing

/// Tests the endpoint for data about the person of a token (OpenID Connect Core section 5.3).
@Suite struct UserInfoTests {
    private func tokens(_ fixture: TestPlatform, scope: String) async throws -> Members {
        let code = try await Browser(fixture).signIn(AuthorizeQuery(fixture, ["scope": scope]))[ParameterName.code]
        return try await fixture.redeem(code).json
    }

    private func info(_ fixture: TestPlatform, _ token: String?, atLogin: Bool = false) async throws -> TestResponse {
        try await fixture.client.get(
            atLogin ? "/\(fixture.tenant.id)/openid/userinfo" : "/oidc/userinfo",
            host: atLogin ? "login.test" : "graph.test",
            headers: token.map { [.authorization: "Bearer \($0)"] } ?? [:])
    }

    @Test(arguments: [
        ("openid", ["sub"]), ("openid email", ["email", "sub"]),
        ("openid profile", ["family_name", "given_name", "name", "preferred_username", "sub"]),
        (
            "openid profile email User.Read",
            ["email", "family_name", "given_name", "name", "preferred_username", "sub"]
        ),
    ])
    func `the scopes decide which claims are returned, and the subject is that of the id token`(
        scope: String, names: [String]
    ) async throws {
        let fixture = try await TestPlatform()
        let tokens = try await tokens(fixture, scope: scope)
        let token = try tokens.string(ReplyName.accessToken)
        for atLogin in [false, true] {
            let answer = try await info(fixture, token, atLogin: atLogin)
            #expect(answer.status == .ok)
            #expect(answer.headers[.cacheControl] == "no-store")
            #expect(try answer.json.values.keys.sorted() == names)
            let identity = try CompactJWS(try tokens.string(ReplyName.idToken)).claims()
            #expect(try answer.json.string(ClaimName.subject) == identity.string(ClaimName.subject))
        }
    }

    @Test func `the token may be sent in a form`() async throws {
        let fixture = try await TestPlatform()
        let token = try await tokens(fixture, scope: "openid").string(ReplyName.accessToken)
        let answer = try await fixture.client.post("/oidc/userinfo", form: ["access_token": token], host: "graph.test")
        #expect(answer.status == .ok)
        let none = try await fixture.client.post("/oidc/userinfo", form: ["x": "y"], host: "graph.test")
        #expect(none.status == .unauthorized)
    }

    @Test func `without the scope openid no claim is returned`() async throws {
        let fixture = try await TestPlatform()
        let token = try await tokens(fixture, scope: "User.Read").string(ReplyName.accessToken)
        let answer = try await info(fixture, token)
        #expect(answer.status == .forbidden)
        #expect(answer.headers[.wwwAuthenticate]?.contains("insufficient_scope") == true)
    }

    @Test func `a token whose session has ended gets a claims challenge`() async throws {
        let fixture = try await TestPlatform()
        let token = try await tokens(fixture, scope: "openid").string(ReplyName.accessToken)
        let missing = try #require(try await info(fixture, nil).headers[.wwwAuthenticate])
        #expect(missing.hasPrefix("Bearer ") && !missing.contains("error"))
        let forged = try #require(try await info(fixture, "\(token)x").headers[.wwwAuthenticate])
        #expect(forged.contains("error=\"invalid_token\""))
        try await fixture.administration.users.setPassword(Sensitive("another password"), of: fixture.amara)
        for atLogin in [false, true] {
            let answer = try await info(fixture, token, atLogin: atLogin)
            #expect(answer.status == .unauthorized)
            let challenge = try #require(answer.headers[.wwwAuthenticate])
            #expect(challenge.contains("error=\"insufficient_claims\""))
            #expect(challenge.contains("authorization_uri=\"https://login.test:8443/common/oauth2/v2.0/authorize\""))
            let encoded = try #require(challenge.split(separator: "claims=\"").last?.prefix { $0 != "\"" })
            let claims = try Members(decoding: Array(try #require(Data(base64Encoded: String(encoded)))))
            let wanted = try claims.members(ReplyName.accessToken)?.members(ClaimName.notBefore)?.values
            #expect(wanted == ["essential": .bool(true), "value": .string("\(fixture.clock.now.seconds)")])
            // The platform accepts the claims request that a client sends in response to this challenge.
            _ = try ClaimsRequest(parsing: String(decoding: try Base64.decode(String(encoded)), as: UTF8.self))
        }
    }
}
