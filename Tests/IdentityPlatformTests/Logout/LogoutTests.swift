// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import IdentityPlatform
import OAuth
import Storage
import TestSupport
import Testing

/// Tests OpenID Connect RP-Initiated Logout 1.0, sections 2 and 6.
@Suite struct LogoutTests {
    private func path(_ fixture: TestPlatform, _ query: String = "") -> String {
        "/\(fixture.tenant.id)/oauth2/v2.0/logout" + query
    }

    @Test func `a link on any page makes the person confirm the sign-out`() async throws {
        let fixture = try await TestPlatform()
        let browser = Browser(fixture)
        let tokens = try await fixture.signedIn(browser: browser)
        let access = try tokens.string(ReplyName.accessToken)
        let other = try await fixture.signedIn("bo@contoso.test").string(ReplyName.idToken)
        for query in ["", "?id_token_hint=x", "?id_token_hint=\(other)", "?csrf=x&repeated=1"] {
            let page = try await browser.get(path(fixture, query))
            #expect(page.status == .ok)
            #expect(page.text.contains("<h1>Sign out?</h1>"))
            #expect(try await fixture.me(access).status == .ok)
        }
        let uri = percentEncoded("https://app.test/cb")
        let asked = try await browser.get(
            path(fixture, "?post_logout_redirect_uri=\(uri)&client_id=\(fixture.app.id)&state=x"))
        #expect(asked.headers[.contentSecurityPolicy]?.contains("form-action 'self' https://app.test;") == true)
        let answer = try await browser.confirm(asked)
        #expect(answer.headers[.location] == "https://app.test/cb?state=x")
        #expect(try await fixture.me(access).status == .unauthorized)
        #expect(try await browser.get(path(fixture)).text.contains("You are signed out"))
    }

    @Test func `an access token is not accepted as a hint`() async throws {
        let fixture = try await TestPlatform()
        let browser = Browser(fixture)
        let tokens = try await fixture.signedIn(browser: browser)
        let testDevice = try await TestDevice.joined(fixture)
        let session = try await testDevice.session()
        let others = try await session.tokens(scopes: ["openid", "00000003-0000-0000-c000-000000000000/.default"])
        for hint in [tokens, others].map({ try? $0.string(ReplyName.accessToken) }) {
            let hint = try #require(hint)
            #expect(try await browser.get(path(fixture, "?id_token_hint=\(hint)")).text.contains("Sign out?"))
            let asked = try await browser.get(AuthorizeQuery(fixture, ["id_token_hint": hint]).path).returned()
            #expect(asked[ParameterName.errorDescription]?.hasPrefix("AADSTS90023:") == true)
        }
    }

    @Test func `no page and no redirect leads to a host named in the path`() async throws {
        let fixture = try await TestPlatform()
        let browser = Browser(fixture)
        _ = try await fixture.signedIn(browser: browser)
        let page = try await browser.get("//contoso.test/oauth2/v2.0/logout")
        #expect(page.attribute("action", of: "<form") == "/contoso.test/oauth2/v2.0/logout")
        let repeated = try await fixture.client.post("//contoso.test/oauth2/v2.0/logout", form: ["state": "x"])
        #expect(repeated.attribute("action", of: "<form") == "/contoso.test/oauth2/v2.0/logout")
        let session = try await TestDevice.joined(fixture).session()
        let old = try await session.testDevice.nonce()
        fixture.clock.advance(by: .seconds(300))
        let header = try #require(HTTPField.Name("x-ms-RefreshTokenCredential"))
        let query = AuthorizeQuery(fixture).path.split(separator: "?")[1]
        let answer = try await fixture.client.get(
            "//contoso.test/oauth2/v2.0/authorize?\(query)", headers: [header: try await session.credential(nonce: old)]
        )
        #expect(answer.headers[.location]?.hasPrefix("/contoso.test/oauth2/v2.0/authorize?") == true)
    }

    @Test func `a tampered hint is rejected`() async throws {
        let fixture = try await TestPlatform()
        let browser = Browser(fixture)
        let hint = try await fixture.signedIn(browser: browser).string(ReplyName.idToken)
        let parts = hint.split(separator: ".")
        let unsigned = "\(Base64URL.encode(Array(#"{"alg":"none"}"#.utf8))).\(parts[1])."
        let last: Character = hint.hasSuffix("A") ? "E" : "A"
        for forged in [unsigned, String(hint.dropLast(4)) + "AAA" + String(last)] {
            #expect(try await browser.get(path(fixture, "?id_token_hint=\(forged)")).text.contains("Sign out?"))
        }
        fixture.clock.advance(by: .seconds(7200))
        #expect(try await browser.get(path(fixture, "?id_token_hint=\(hint)")).text.contains("You are signed out"))
    }

    @Test func `a post from another site, which has no cookies, is repeated from the server's own page`() async throws {
        let fixture = try await TestPlatform()
        let browser = Browser(fixture)
        let tokens = try await fixture.signedIn(browser: browser)
        let access = try tokens.string(ReplyName.accessToken)
        let hint = try tokens.string(ReplyName.idToken)
        let foreign = try await fixture.client.post(path(fixture), form: ["id_token_hint": hint])
        #expect(foreign.headers[.setCookie] == nil)
        #expect(!foreign.text.contains("You are signed out"))
        #expect(foreign.headers[.contentSecurityPolicy]?.contains("form-action 'self'") == true)
        #expect(try await fixture.me(access).status == .ok)
        #expect(try await browser.confirm(foreign).text.contains("You are signed out"))
        #expect(try await fixture.me(access).status == .unauthorized)
        #expect(browser.cookies["__Host-baton-session"] == nil)
        // A browser without a session does not get into a redirect loop.
        let nobody = try await Browser(fixture).confirm(try await fixture.client.post(path(fixture), form: [:]))
        #expect(nobody.text.contains("You are signed out"))
    }

    @Test func `another site cannot submit the sign-out form`() async throws {
        let fixture = try await TestPlatform()
        let browser = Browser(fixture)
        let access = try await fixture.signedIn(browser: browser).string(ReplyName.accessToken)
        let stranger = try await Browser(fixture).get(path(fixture))
        #expect(stranger.status == .ok)
        let forged = try await browser.post(path(fixture), ["csrf": Base64URL.encode(Array(repeating: 7, count: 32))])
        #expect(forged.text.contains("Sign out?"))
        #expect(try await fixture.me(access).status == .ok)
    }

    @Test func `a cookie of one tenant has no effect at another tenant's address`() async throws {
        let fixture = try await TestPlatform()
        let browser = Browser(fixture)
        let access = try await fixture.signedIn(browser: browser).string(ReplyName.accessToken)
        let other = try await fixture.administration.tenants.add(displayName: "Fabrikam", domain: "fabrikam.test")
        let answer = try await browser.get("/\(other.id)/oauth2/v2.0/logout")
        #expect(answer.text.contains("You are signed out"))
        #expect(browser.cookies["__Host-baton-session"] != nil)
        #expect(try await fixture.me(access).status == .ok)
        var query = AuthorizeQuery(fixture, ["client_id": WellKnownApplication.broker])
        query.tenant = other.id.rawValue
        #expect(try await browser.get(query.path).hidden("csrf") != nil)
        #expect(try await browser.get("/common/oauth2/v2.0/logout").text.contains("Sign out?"))
    }

    @Test func `a HEAD request to the link signs nobody out`() async throws {
        let fixture = try await TestPlatform()
        let browser = Browser(fixture)
        let tokens = try await fixture.signedIn(browser: browser)
        let hint = try tokens.string(ReplyName.idToken)
        let cookie = browser.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        _ = try await fixture.client.send(.head, path(fixture, "?id_token_hint=\(hint)"), headers: [.cookie: cookie])
        #expect(try await fixture.me(try tokens.string(ReplyName.accessToken)).status == .ok)
    }

    @Test func `the page says who will be signed out, also at the address of version 1`() async throws {
        let fixture = try await TestPlatform()
        let browser = Browser(fixture)
        let access = try await fixture.signedIn(browser: browser).string(ReplyName.accessToken)
        let page = try await browser.get("/contoso.test/oauth2/logout")
        #expect(page.text.contains("amara@contoso.test will be signed out"))
        #expect(try await browser.confirm(page).text.contains("You are signed out"))
        #expect(try await fixture.me(access).status == .unauthorized)
    }

    @Test func `the browser is redirected only to an address that the requesting client has registered`() async throws {
        let fixture = try await TestPlatform()
        let other = try await fixture.administration.clients.add(
            NewClient(displayName: "Other", redirectURIs: ["https://other.test/cb"]), tenant: fixture.tenant)
        let hint = try await fixture.signedIn().string(ReplyName.idToken)
        let app = "client_id=\(fixture.app.id)"
        let cases: [(String, String, String?)] = [
            (app, "https://app.test/cb", "https://app.test/cb?state=s"), ("", "https://app.test/cb", nil),
            ("id_token_hint=\(hint)", "https://app.test/cb", "https://app.test/cb?state=s"),
            ("id_token_hint=\(hint)x", "https://app.test/cb", nil),
            ("id_token_hint=\(hint)&client_id=\(other.id)", "https://other.test/cb", nil),
            ("id_token_hint=\(hint)&client_id=\(other.id)", "https://app.test/cb", nil),
            (app, "https://other.test/cb", nil), (app, "https://app.test/cb/../x", nil), (app, "//app.test/cb", nil),
            ("client_id=x", "https://app.test/cb", nil), (app, "https://app.test@evil.test/cb", nil),
        ]
        for (asking, uri, location) in cases {
            let query = "?\(asking)&state=s&post_logout_redirect_uri=\(percentEncoded(uri))"
            let answer = try await Browser(fixture).get(path(fixture, query))
            #expect(answer.headers[.location] == location, "\(asking) \(uri)")
        }
    }

    @Test func `an id token of a client other than the requesting one ends nothing unconfirmed`() async throws {
        let fixture = try await TestPlatform()
        let browser = Browser(fixture)
        let tokens = try await fixture.signedIn(browser: browser)
        let hint = try tokens.string(ReplyName.idToken)
        let broker = WellKnownApplication.broker
        let page = try await browser.get(path(fixture, "?id_token_hint=\(hint)&client_id=\(broker)"))
        #expect(page.text.contains("Sign out?"))
        #expect(try await fixture.me(try tokens.string(ReplyName.accessToken)).status == .ok)
    }

    @Test func `without a state the address is used as registered`() async throws {
        let fixture = try await TestPlatform()
        let uri = "https://app.test/cb"
        let query = "?client_id=\(fixture.app.id)&post_logout_redirect_uri=\(percentEncoded(uri))"
        let answer = try await Browser(fixture).get(path(fixture, query))
        #expect(answer.status == .seeOther)
        #expect(answer.headers[.location] == uri)
        #expect(answer.attribute("href", of: "<a") == uri)
    }
}
