// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import IdentityPlatform
import OAuth
import Storage
import TestSupport
import Testing

/// Tests the security headers that every response must have.
@Suite struct SecurityHeaderTests {
    @Test func `every response forbids caching, framing, sniffing and unencrypted reloading`() async throws {
        let fixture = try await TestPlatform()
        let browser = Browser(fixture)
        _ = try await browser.signIn(AuthorizeQuery(fixture))
        let tenant = fixture.tenant.id.rawValue
        let asked: [(String, String)] = [
            ("login.test", "/\(tenant)/v2.0/.well-known/openid-configuration"),
            ("login.test", "/\(tenant)/discovery/v2.0/keys"), ("login.test", AuthorizeQuery(fixture).path),
            ("login.test", AuthorizeQuery(fixture, ["prompt": "none"]).path),
            ("login.test", AuthorizeQuery(fixture, ["client_id": "x"]).path),
            ("login.test", "/\(tenant)/oauth2/v2.0/logout"), ("login.test", "/\(tenant)/oauth2/v2.0/token"),
            ("login.test", "/common/userrealm/x@contoso.test"), ("login.test", "/common/oauth2/nativeclient"),
            ("login.test", "/nowhere/at/all"), ("login.test", "/%zz"), ("graph.test", "/v1.0/me"),
            ("graph.test", "/nowhere"), ("drs.test", "/\(tenant)/Discover"), ("drs.test", "/nowhere"),
            ("evil.test", "/"),
        ]
        var answers: [(String, TestResponse)] = []
        for (host, path) in asked { answers.append((path, try await fixture.client.get(path, host: host))) }
        answers.append(("token", try await fixture.redeem("x")))
        answers.append(("signed in", try await browser.get(AuthorizeQuery(fixture).path)))
        answers.append(("asked", try await browser.get(AuthorizeQuery(fixture, ["prompt": "consent"]).path)))
        answers.append(("a form", try await browser.get(AuthorizeQuery(fixture, ["response_mode": "form_post"]).path)))
        for (name, answer) in answers {
            #expect(answer.headers[.cacheControl] == "no-store", "\(name)")
            #expect(answer.headers[.xContentTypeOptions] == "nosniff", "\(name)")
            #expect(answer.headers[.strictTransportSecurity]?.hasPrefix("max-age=31536000") == true, "\(name)")
            #expect(answer.headers[try #require(HTTPField.Name("Referrer-Policy"))] == "no-referrer", "\(name)")
            #expect(answer.headers[try #require(HTTPField.Name("X-Frame-Options"))] == "DENY", "\(name)")
            let policy = try #require(answer.headers[.contentSecurityPolicy], "\(name)")
            #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "\(name)")
            #expect(answer.headers[.accessControlAllowOrigin] == nil, "\(name)")
        }
    }

    @Test(arguments: HTTPFieldName.allCases)
    func `a header that Baton defines is sent under its documented name`(name: HTTPFieldName) {
        #expect(HTTPField.Name(name.rawValue)?.rawName == name.rawValue)
    }

    @Test func `the browser's credential is read from the header that the broker sets`() {
        #expect(HTTPFieldName.refreshTokenCredential.rawValue == BrowserCredential.name)
    }

    @Test func `a page's forms may be sent only to the server and to the client that asked`() async throws {
        let fixture = try await TestPlatform()
        let browser = Browser(fixture)
        let client = ["redirect_uri": "https://app.test/cb"]
        let signIn = try await browser.get(AuthorizeQuery(fixture, client).path)
        #expect(signIn.headers[.contentSecurityPolicy]?.contains("form-action 'self' https://app.test;") == true)
        _ = try await browser.signIn(AuthorizeQuery(fixture))
        for prompt in ["consent", "select_account"] {
            let query = AuthorizeQuery(fixture, client.merging(["prompt": prompt]) { $1 })
            let page = try await browser.get(query.path)
            #expect(page.headers[.contentSecurityPolicy]?.contains("form-action 'self' https://app.test;") == true)
        }
        let out = try await browser.get("/contoso.test/oauth2/v2.0/logout")
        #expect(out.headers[.contentSecurityPolicy]?.contains("form-action 'self';") == true)
        let message = try await browser.get("/contoso.test/oauth2/v2.0/authorize?client_id=x")
        #expect(message.headers[.contentSecurityPolicy]?.contains("form-action 'none'") == true)
    }

    @Test func `cookies are limited to this host and TLS, and not for scripts or foreign posts`() async throws {
        let fixture = try await TestPlatform()
        let browser = Browser(fixture)
        let page = try await browser.get(AuthorizeQuery(fixture).path)
        let answer = try await browser.submit(page, username: "amara@contoso.test", password: TestPlatform.password)
        let cookies = page.headers[values: .setCookie] + answer.headers[values: .setCookie]
        #expect(cookies.count == 3)
        for cookie in cookies {
            #expect(cookie.hasPrefix("__Host-baton-"))
            for part in ["; Path=/", "; Secure", "; HttpOnly", "; SameSite=Lax"] { #expect(cookie.contains(part)) }
            #expect(!cookie.lowercased().contains("domain="))
        }
    }
}
