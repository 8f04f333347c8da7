// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import IdentityPlatform
import OAuth
import Storage
import TestSupport
import Testing

/// Tests the response modes of the authorisation endpoint, and version 1 of that endpoint.
@Suite struct AnswerTests {
    @Test func `each response mode returns code, state and issuer, and links to the same address`() async throws {
        let fixture = try await TestPlatform()
        let browser = Browser(fixture)
        _ = try await browser.signIn(AuthorizeQuery(fixture))
        let issuer = "https://login.test:8443/\(fixture.tenant.id)/v2.0"
        for (mode, separator) in [("query", "?"), ("fragment", "#")] as [(String, Character)] {
            let answer = try await browser.get(AuthorizeQuery(fixture, ["response_mode": mode]).path)
            let returned = try answer.returned(behind: separator)
            #expect(returned[ParameterName.issuer] == issuer)
            #expect(returned[ParameterName.state] == "s t&a=te")
            #expect(answer.attribute("href", of: "<a") == answer.headers[.location])
            #expect(try await fixture.redeem(returned[ParameterName.code]).status == .ok)
        }
        let query = AuthorizeQuery(fixture, ["response_mode": "form_post", "redirect_uri": "https://app.test/cb"])
        let posted = try await browser.get(query.path)
        #expect(posted.hidden("iss") == issuer)
        #expect(posted.hidden("state") == "s t&a=te")
        #expect(posted.headers[.location] == nil)
    }

    @Test func `version 1 of the endpoint accepts a resource in place of a scope`() async throws {
        let fixture = try await TestPlatform()
        let browser = Browser(fixture)
        for resource in ["https://graph.microsoft.com", "https://graph.microsoft.com/", "https://graph.test"] {
            let query = AuthorizeQuery(fixture, ["scope": nil, "resource": resource])
            let answer = try await browser.get(query.olderPath)
            let returned =
                answer.status == .ok
                ? try await browser.submit(answer, username: "amara@contoso.test", password: TestPlatform.password)
                : answer
            #expect(
                try returned.returned()[ParameterName.issuer] == "https://login.test:8443/\(fixture.tenant.id)/")
            let reply = try await fixture.redeem(try returned.returned()[ParameterName.code]).json
            let token = try CompactJWS(try reply.string(ReplyName.accessToken)).claims()
            #expect(try token.string(ClaimName.audience).hasPrefix(resource.dropLast(resource.hasSuffix("/") ? 1 : 0)))
            #expect(try reply.optionalString(ReplyName.idToken) != nil)
            #expect(try reply.optionalString(ReplyName.refreshToken) != nil)
            #expect(try await fixture.me(try reply.string(ReplyName.accessToken)).status == .ok)
        }
        let unknown = AuthorizeQuery(fixture, ["scope": nil, "resource": "https://other.test"])
        #expect(try await browser.get(unknown.olderPath).returned()[ParameterName.error] == "invalid_resource")
    }

    @Test func `a code without a proof key is issued only if the operator admits older clients`() async throws {
        let bare = ["code_challenge": nil, "code_challenge_method": nil] as [String: String?]
        let strict = try await TestPlatform()
        let refused = try await strict.client.get(AuthorizeQuery(strict, bare).path).returned()
        #expect(refused[ParameterName.errorDescription]?.hasPrefix("AADSTS9002325:") == true)

        // A secret does not replace PKCE, because someone who steals a code can send it to the application's own
        // address.
        let site = try await strict.administration.clients.add(
            NewClient(displayName: "Site", redirectURIs: [TestPlatform.redirect], isConfidential: true),
            tenant: strict.tenant)
        let ofSite = AuthorizeQuery(strict, bare.merging(["client_id": site.id.rawValue]) { $1 })
        let told = try await strict.client.get(ofSite.path).returned()
        #expect(told[ParameterName.errorDescription]?.hasPrefix("AADSTS9002325:") == true)

        let fixture = try await TestPlatform { $0.compatibility.codeWithoutProofKey = true }
        let browser = Browser(fixture)
        let code = try await browser.signIn(AuthorizeQuery(fixture, bare))[ParameterName.code]
        #expect(try await fixture.redeem(code, ["code_verifier": nil]).status == .ok)
        // A code verifier without a code challenge is refused, and so is a code challenge without a code verifier.
        let other = try await browser.get(AuthorizeQuery(fixture, bare).path).returned()[ParameterName.code]
        #expect(try await fixture.redeem(other).errorNumber == 501_481)
        let proven = try await browser.get(AuthorizeQuery(fixture).path).returned()[ParameterName.code]
        #expect(try await fixture.redeem(proven, ["code_verifier": nil]).errorNumber == 900_144)
        let half = AuthorizeQuery(fixture, ["code_challenge": nil])
        #expect(try await browser.get(half.path).returned()[ParameterName.error] == "invalid_request")
    }

    @Test func `the case of addresses is ignored`() async throws {
        let fixture = try await TestPlatform()
        let query = AuthorizeQuery(fixture).olderPath.replacing("/oauth2/authorize", with: "/oAuth2/Authorize")
        #expect(try await fixture.client.get(query).status == .ok)
    }

    @Test func `a nonce may be left out, and then is in no token`() async throws {
        let fixture = try await TestPlatform()
        let code = try await Browser(fixture).signIn(AuthorizeQuery(fixture, ["nonce": nil]))[ParameterName.code]
        let token = try CompactJWS(try await fixture.redeem(code).json.string(ReplyName.idToken)).claims()
        #expect(token[ClaimName.nonce] == nil)
    }

    @Test func `the order of scopes does not matter, and unknown ones are left out`() async throws {
        let fixture = try await TestPlatform()
        let browser = Browser(fixture)
        _ = try await browser.signIn(AuthorizeQuery(fixture))
        for scope in ["User.Read email openid profile", "profile address User.Read phone openid email"] {
            let answer = try await browser.get(AuthorizeQuery(fixture, ["scope": scope]).path)
            let reply = try await fixture.redeem(try answer.returned()[ParameterName.code]).json
            let token = try CompactJWS(try reply.string(ReplyName.idToken)).claims()
            #expect(try token.string(ClaimName.email) == "amara@mail.test")
            #expect(
                try reply.string(ReplyName.scope).split(separator: " ").allSatisfy {
                    !["address", "phone"].contains($0)
                })
        }
    }

    @Test func `the request may come as a posted form`() async throws {
        let fixture = try await TestPlatform()
        let parts = AuthorizeQuery(fixture).path.split(separator: "?")
        let page = try await fixture.client.send(.post, String(parts[0]), body: String(parts[1]))
        #expect(page.status == .ok && page.hidden("csrf") != nil)
        let refused = try await fixture.client.send(.post, String(parts[0]), body: "client_id=x")
        #expect(refused.shownError == 700016)
    }
}
