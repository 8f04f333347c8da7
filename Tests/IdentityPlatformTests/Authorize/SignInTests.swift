// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import IdentityPlatform
import JSON
import OAuth
import Storage
import TestSupport
import Testing

@Suite struct SignInTests {
    @Test func `a sign-in leads from the page to the person's own data in Graph`() async throws {
        let fixture = try await TestPlatform()
        let browser = Browser(fixture)
        let page = try await browser.get(AuthorizeQuery(fixture).path)
        #expect(page.status == .ok)
        let answer = try await browser.submit(page, username: "Amara@Contoso.test", password: TestPlatform.password)
        #expect(answer.status == .seeOther)
        let location = try #require(answer.headers[.location])
        #expect(location.hasPrefix("http://localhost:4567/?code="))
        #expect(answer.attribute("href", of: "<a") == location)
        let returned = try answer.returned()
        #expect(returned[ParameterName.state] == "s t&a=te")
        let info = try ClientInfo(decoding: try #require(returned[ParameterName.clientInfo]))
        #expect(info == ClientInfo(userID: fixture.amara.id.rawValue, tenantID: fixture.tenant.id.rawValue))

        let reply = try await fixture.redeem(returned[ParameterName.code])
        #expect(reply.status == .ok)
        #expect(reply.headers[.cacheControl] == "no-store")
        let tokens = try reply.json
        #expect(try tokens.string(ReplyName.tokenType) == "Bearer")
        #expect(try tokens.integer(ReplyName.expiresIn) == 3600)
        #expect(try tokens.integer(ReplyName.extendedExpiresIn) == 3600)
        let me = try await fixture.me(try tokens.string(ReplyName.accessToken)).json
        #expect(me.values["displayName"] == .string("Amara Okafor"))
        #expect(me.values["id"] == .string(fixture.amara.id.rawValue))
        #expect(me.values["officeLocation"] == .null)
    }

    @Test func `tokens are signed with the published key and have Entra's claims`() async throws {
        let fixture = try await TestPlatform()
        try await fixture.administration.users.assign(.cloudDeviceAdministrator, to: fixture.amara)
        let tokens = try await fixture.signedIn()
        let discovery = try await fixture.client.get("/contoso.test/V2.0/.well-known/OpenID-configuration").json
        let keysPath =
            "/"
            + (try #require(discovery.values["jwks_uri"]?.string)).split(separator: "/").dropFirst(2)
            .joined(separator: "/")
        let keys = try JSONWebKeySet(decoding: try await fixture.client.get(keysPath).body)
        let access = try CompactJWS(try tokens.string(ReplyName.accessToken))
        let accessKey = try #require(access.keyID.flatMap { keys[$0] })
        try access.verify(with: accessKey.verificationKey())
        let claims = try access.claims()
        let issuer = try #require(discovery.values["issuer"]?.string)
        #expect(issuer == "https://login.test:8443/\(fixture.tenant.id)/v2.0")
        #expect(try claims.string(ClaimName.issuer) == issuer)
        #expect(try claims.string(ClaimName.objectID) == fixture.amara.id.rawValue)
        #expect(try claims.string(ClaimName.tenantID) == fixture.tenant.id.rawValue)
        #expect(try claims.string(ClaimName.appID) == fixture.app.id.rawValue)
        #expect(try claims.string(ClaimName.scopes) == "User.Read openid profile")
        #expect(try claims.strings(ClaimName.authenticationMethods) == ["pwd"])
        #expect(try claims.strings(ClaimName.directoryRoles) == ["7698a772-787b-4ac8-901f-60d6b08affd2"])
        #expect(try claims.optionalString(ClaimName.deviceID) == nil)

        let id = try CompactJWS(try tokens.string(ReplyName.idToken))
        let idKey = try #require(id.keyID.flatMap { keys[$0] })
        try id.verify(with: idKey.verificationKey())
        let person = try id.claims()
        #expect(try person.string(ClaimName.audience) == fixture.app.id.rawValue)
        #expect(try person.string(ClaimName.nonce) == "n-0S6")
        #expect(try person.string(ClaimName.preferredUsername) == "amara@contoso.test")
        #expect(try person.string(ClaimName.sessionID) == claims.string(ClaimName.sessionID))
        #expect(try person.string(ClaimName.subject) != fixture.amara.id.rawValue)
    }

    @Test func `the first page shows no error`() async throws {
        let fixture = try await TestPlatform()
        let page = try await Browser(fixture).get(AuthorizeQuery(fixture).path)
        #expect(page.status == .ok)
        #expect(page.alert == nil)
    }

    @Test func `an unknown name and a wrong password get the same page, byte for byte`() async throws {
        let fixture = try await TestPlatform()
        let browser = Browser(fixture)
        let page = try await browser.get(AuthorizeQuery(fixture).path)
        let wrong = try await browser.submit(page, username: "amara@contoso.test", password: "wrong")
        let unknown = try await browser.submit(page, username: "nobody@contoso.tes", password: "wrong")
        #expect(wrong.status == .badRequest)
        #expect(wrong.alert == "The user name or password is not right. Check both, then try again. (AADSTS50126)")
        #expect(
            wrong.text.replacing("amara@contoso.test", with: "X")
                == unknown.text.replacing("nobody@contoso.tes", with: "X"))
        #expect(browser.cookies["__Host-baton-session"] == nil)
        #expect(!wrong.text.contains("wrong"))
    }

    @Test func `a removed person cannot sign in`() async throws {
        let fixture = try await TestPlatform()
        try await fixture.administration.users.remove(fixture.amara)
        let browser = Browser(fixture)
        let answer = try await browser.submit(
            try await browser.get(AuthorizeQuery(fixture).path), username: "amara@contoso.test",
            password: TestPlatform.password)
        #expect(answer.shownError == 50126)
    }

    @Test func `the form is accepted only with the cookie of the same browser`() async throws {
        let fixture = try await TestPlatform()
        let browser = Browser(fixture)
        let page = try await browser.get(AuthorizeQuery(fixture).path)
        browser.forget()
        let answer = try await browser.submit(page, username: "amara@contoso.test", password: TestPlatform.password)
        #expect(answer.status == .badRequest)
        #expect(answer.shownError == 165900)
        #expect(browser.cookies["__Host-baton-session"] == nil)
        let other = Browser(fixture)
        _ = try await other.get(AuthorizeQuery(fixture).path)
        let foreign = try await other.submit(page, username: "amara@contoso.test", password: TestPlatform.password)
        #expect(foreign.shownError == 165900)
        #expect(other.cookies["__Host-baton-session"] == nil)
    }

    @Test func `a client's values remain text in the page, whatever characters they contain`() async throws {
        let fixture = try await TestPlatform()
        let hostile = "\"\u{301} autofocus onfocus=x <\u{301}b>'"
        let page = try await fixture.client.get(
            AuthorizeQuery(fixture, ["login_hint": hostile, "state": hostile]).path)
        let scalars = String(String.UnicodeScalarView(page.text.unicodeScalars.filter { $0 != "\u{301}" }))
        #expect(scalars.contains("value=\"&quot; autofocus onfocus=x &lt;b&gt;&#39;\""))
    }

    @Test func `cookies and headers isolate the page from other sites`() async throws {
        let fixture = try await TestPlatform()
        let page = try await fixture.client.get(AuthorizeQuery(fixture).path)
        let cookie = try #require(page.headers[.setCookie])
        for part in ["__Host-baton-csrf=", "Path=/", "Secure", "HttpOnly", "SameSite=Lax"] {
            #expect(cookie.contains(part))
        }
        let policy = try #require(page.headers[.contentSecurityPolicy])
        #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
        #expect(policy.contains("form-action 'self' http://localhost:4567"))
        #expect(page.headers[.cacheControl] == "no-store")
        #expect(page.headers[.xContentTypeOptions] == "nosniff")
        #expect(page.text.contains("Ward &lt;app&gt;") && !page.text.contains("Ward <app>"))
        #expect(page.text.contains("autocomplete=\"current-password\""))
    }

    @Test func `a signed-in browser is not asked again unless the request demands it`() async throws {
        let fixture = try await TestPlatform()
        let browser = Browser(fixture)
        _ = try await browser.signIn(AuthorizeQuery(fixture))
        #expect(try await browser.get(AuthorizeQuery(fixture).path).status == .found)
        #expect(try await browser.get(AuthorizeQuery(fixture, ["prompt": "none"]).path).status == .found)
        for asking in [
            ["prompt": "login"], ["prompt": "select_account login"], ["prompt": "consent login"],
            ["login_hint": "bo@contoso.test"],
        ] {
            let page = try await browser.get(AuthorizeQuery(fixture, asking).path)
            #expect(page.status == .ok, "\(asking)")
            #expect(page.hidden("csrf") != nil)
        }
        fixture.clock.advance(by: .seconds(11))
        #expect(try await browser.get(AuthorizeQuery(fixture, ["max_age": "10"]).path).status == .ok)
        fixture.clock.advance(by: .seconds(86_400))
        #expect(try await browser.get(AuthorizeQuery(fixture).path).status == .ok)
    }

    @Test func `one sign-in gives every application the same session`() async throws {
        let fixture = try await TestPlatform()
        let browser = Browser(fixture)
        let first = try await fixture.signedIn(browser: browser)
        let code = try await browser.get(AuthorizeQuery(fixture).path).returned()[ParameterName.code]
        let second = try await fixture.redeem(code).json
        let sessions = try [first, second].map {
            try CompactJWS($0.string(ReplyName.accessToken)).claims().string(ClaimName.sessionID)
        }
        #expect(sessions[0] == sessions[1])
    }

    @Test func `form_post sends the code in its own form`() async throws {
        let fixture = try await TestPlatform()
        let browser = Browser(fixture)
        let query = AuthorizeQuery(fixture, ["response_mode": "form_post", "redirect_uri": "https://app.test/cb"])
        let answer = try await browser.submit(
            try await browser.get(query.path), username: "amara@contoso.test", password: TestPlatform.password)
        #expect(answer.status == .ok)
        #expect(answer.attribute("action", of: "<form") == "https://app.test/cb")
        #expect(answer.headers[.contentSecurityPolicy]?.contains("form-action https://app.test;") == true)
        let reply = try await fixture.redeem(answer.hidden("code"), ["redirect_uri": "https://app.test/cb"])
        #expect(reply.status == .ok)
    }

    @Test func `sign-ins are in the audit log, by id and never by name`() async throws {
        let fixture = try await TestPlatform()
        let browser = Browser(fixture)
        _ = try await browser.signIn(AuthorizeQuery(fixture))
        _ = try await browser.submit(
            try await browser.get(AuthorizeQuery(fixture, ["prompt": "login"]).path), username: "amara@contoso.test",
            password: "wrong")
        let entries = try await fixture.platform.database.read { try AuditLog($0).latest(2, tenant: fixture.tenant.id) }
        #expect(entries.map(\.action) == ["sign-in", "sign-in"])
        #expect(entries.map(\.outcome) == ["done", "refused"])
        #expect(entries.allSatisfy { $0.actor == fixture.amara.id.rawValue })
    }
}
