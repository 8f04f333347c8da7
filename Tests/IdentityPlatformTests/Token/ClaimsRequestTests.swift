// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import IdentityPlatform
import OAuth
import TestSupport
import Testing

/// Tests the parameter `claims` (OpenID Connect Core section 5.5) at the token endpoint.
@Suite struct ClaimsRequestTests {
    @Test func `CLM-1 requested claims are in the token for which they were requested, and in no other`() async throws {
        let session = try await TestDevice.joined(try await TestPlatform()).session()
        let claims = #"{"id_token":{"email":null,"unheard_of":{"essential":true}},"access_token":{"given_name":null}}"#
        let tokens = try await session.tokens(scopes: ["openid", "User.Read"], claims: claims)
        let id = try CompactJWS(try tokens.string(ReplyName.idToken)).claims()
        let access = try CompactJWS(try tokens.string(ReplyName.accessToken)).claims()
        #expect(try id.string(ClaimName.email) == "amara@mail.test")
        #expect(try access.string(ClaimName.givenName) == "Amara")
        #expect(id[ClaimName.givenName] == nil && access[ClaimName.email] == nil)
        #expect(id.values["unheard_of"] == nil)

        let plain = try await session.tokens(scopes: ["openid", "User.Read"])
        #expect(try CompactJWS(try plain.string(ReplyName.idToken)).claims()[ClaimName.email] == nil)
    }

    @Test func `a client's capabilities are in its access token`() async throws {
        let session = try await TestDevice.joined(try await TestPlatform()).session()
        let tokens = try await session.tokens(claims: #"{"access_token":{"xms_cc":{"values":["cp1"]}}}"#)
        let access = try CompactJWS(try tokens.string(ReplyName.accessToken)).claims()
        #expect(try access.strings(ClaimName.clientCapabilities) == ["cp1"])
    }

    @Test(arguments: [
        ("", 200), ("{}", 200), (#"{"userinfo":{"x":null}}"#, 200), ("x", 50146), ("[]", 50146),
        (#"{"id_token":1}"#, 50146),
        (#"{"access_token":{"xms_cc":{"values":7}}}"#, 50146), (#"{"id_token":{"acr":{"essential":true}}}"#, 53003),
    ])
    func `malformed claims are refused, and so is a required sign-in that did not happen`(
        claims: String, outcome: Int
    ) async throws {
        let session = try await TestDevice.joined(try await TestPlatform()).session()
        let signed = try await session.useRequest(claims: claims.isEmpty ? nil : claims)
        let answer = try await session.testDevice.send(PrimaryRefreshToken.form(request: signed))
        #expect((answer.errorNumber ?? Int(answer.status.code)) == outcome)
    }

    @Test func `requested claims also work with a code and with a refresh token`() async throws {
        let fixture = try await TestPlatform()
        let code = try await Browser(fixture).signIn(AuthorizeQuery(fixture))[ParameterName.code]
        let claims = #"{"access_token":{"family_name":null}}"#
        let first = try await fixture.redeem(code, ["claims": claims]).json
        let second = try await fixture.refresh(try first.string(ReplyName.refreshToken), ["claims": claims]).json
        for tokens in [first, second] {
            let access = try CompactJWS(try tokens.string(ReplyName.accessToken)).claims()
            #expect(try access.string(ClaimName.familyName) == "Okafor")
        }
        #expect(
            try await fixture.refresh(try first.string(ReplyName.refreshToken), ["claims": "x"]).errorNumber == 50146)
    }
}
