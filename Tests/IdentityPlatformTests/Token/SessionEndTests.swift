// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import IdentityPlatform
import OAuth
import Redaction
import Storage
import TestSupport
import Testing

@Suite struct SessionEndTests {
    @Test func `signing out in the browser ends every token of the session`() async throws {
        let fixture = try await TestPlatform()
        let browser = Browser(fixture)
        let tokens = try await fixture.signedIn(browser: browser)
        let pending = try await browser.get(AuthorizeQuery(fixture).path).returned()[ParameterName.code]
        let hint = try tokens.string(ReplyName.idToken)
        let answer = try await browser.get("/\(fixture.tenant.id)/oauth2/v2.0/logout?id_token_hint=\(hint)")
        #expect(answer.status == .ok)
        #expect(browser.cookies["__Host-baton-session"] == nil)
        #expect(try await fixture.refresh(try tokens.string(ReplyName.refreshToken)).errorNumber == 70000)
        #expect(try await fixture.redeem(pending).errorNumber == 70000)
        let me = try await fixture.me(try tokens.string(ReplyName.accessToken))
        #expect(me.status == .unauthorized)
        #expect(try await browser.get(AuthorizeQuery(fixture).path).status == .ok)
    }

    @Test func `a cookie that was kept is invalid after the sign-out`() async throws {
        let fixture = try await TestPlatform()
        let browser = Browser(fixture)
        _ = try await browser.signIn(AuthorizeQuery(fixture))
        let cookies = browser.cookies
        _ = try await browser.confirm(try await browser.get("/common/oauth2/v2.0/logout"))
        let kept = cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        let page = try await fixture.client.get(AuthorizeQuery(fixture).path, headers: [.cookie: kept])
        #expect(page.status == .ok)
    }

    @Test func `a sign-out redirects only to registered addresses`() async throws {
        let fixture = try await TestPlatform()
        let path = "/\(fixture.tenant.id)/oauth2/v2.0/logout?post_logout_redirect_uri="
        let good = percentEncoded("https://app.test/cb")
        let evil = percentEncoded("https://evil.test/")
        let client = "&client_id=\(fixture.app.id)"
        let hint = try await fixture.signedIn().string(ReplyName.idToken)
        let led = try await fixture.client.get(path + good + client + "&state=x")
        #expect(led.headers[.location] == "https://app.test/cb?state=x")
        let hinted = try await fixture.client.get(path + good + "&id_token_hint=\(hint)")
        #expect(hinted.headers[.location] == "https://app.test/cb")
        for refused in [
            path + evil + client, path + good, path + evil + "&id_token_hint=\(hint)",
            path + good + "&id_token_hint=x",
        ] {
            let answer = try await fixture.client.get(refused)
            #expect(answer.headers[.location] == nil)
            #expect(answer.status == .ok)
        }
    }

    @Test func `post-logout addresses have their own list, which does not include redirect URIs`()
        async throws
    {
        let fixture = try await TestPlatform()
        let app = try await fixture.administration.clients.add(
            NewClient(
                displayName: "Ward", redirectURIs: ["https://ward.test/cb"], logoutURIs: ["https://ward.test/bye"]),
            tenant: fixture.tenant)
        func led(_ address: String) async throws -> String? {
            try await fixture.client.get(
                "/\(fixture.tenant.id)/oauth2/v2.0/logout?client_id=\(app.id)&post_logout_redirect_uri="
                    + percentEncoded(address)
            ).headers[.location]
        }
        #expect(try await led("https://ward.test/bye") == "https://ward.test/bye")
        #expect(try await led("https://ward.test/cb") == nil)
        let page = try await fixture.client.get(
            AuthorizeQuery(fixture, ["client_id": app.id.rawValue, "redirect_uri": "https://ward.test/bye"]).path)
        #expect(page.text.contains("AADSTS50011"))
        await #expect(throws: RefusedRedirectURI.self) {
            try await fixture.administration.clients.add(
                NewClient(displayName: "W", redirectURIs: ["https://w.test"], logoutURIs: ["/bye"]),
                tenant: fixture.tenant)
        }
    }

    @Test func `a new password ends the person's sessions and nobody else's`() async throws {
        let fixture = try await TestPlatform()
        let amara = try await fixture.signedIn()
        let bo = try await fixture.signedIn("bo@contoso.test")
        try await fixture.administration.users.setPassword(Sensitive("another password"), of: fixture.amara)
        #expect(try await fixture.refresh(try amara.string(ReplyName.refreshToken)).errorNumber == 70000)
        #expect(try await fixture.me(try amara.string(ReplyName.accessToken)).status == .unauthorized)
        #expect(try await fixture.refresh(try bo.string(ReplyName.refreshToken)).status == .ok)
        let browser = Browser(fixture)
        let returned = try await browser.signIn(AuthorizeQuery(fixture), password: "another password")
        #expect(returned[ParameterName.code] != nil)
    }

    @Test func `a disabled person's tokens are invalid, and their sessions stay ended`() async throws {
        let fixture = try await TestPlatform()
        let browser = Browser(fixture)
        let tokens = try await fixture.signedIn(browser: browser)
        try await fixture.administration.users.setEnabled(false, fixture.amara)
        #expect(try await fixture.refresh(try tokens.string(ReplyName.refreshToken)).errorNumber == 70000)
        #expect(try await fixture.me(try tokens.string(ReplyName.accessToken)).status == .unauthorized)
        let page = try await browser.get(AuthorizeQuery(fixture).path)
        let refused = try await browser.submit(page, username: "amara@contoso.test", password: TestPlatform.password)
        #expect(refused.shownError == 50126)
        try await fixture.administration.users.setEnabled(true, fixture.amara)
        #expect(try await fixture.me(try tokens.string(ReplyName.accessToken)).status == .unauthorized)
        #expect(try await browser.signIn(AuthorizeQuery(fixture))[ParameterName.code] != nil)
    }

    @Test func `a removed application's access tokens are invalid`() async throws {
        let fixture = try await TestPlatform()
        let token = try await fixture.signedIn().string(ReplyName.accessToken)
        #expect(try await fixture.me(token).status == .ok)
        try await fixture.administration.clients.remove(fixture.app)
        #expect(try await fixture.me(token).status == .unauthorized)
    }

    @Test func `ending a session twice is not an error and is recorded once`() async throws {
        let fixture = try await TestPlatform()
        let tokens = try await fixture.signedIn()
        let claims = try CompactJWS(try tokens.string(ReplyName.accessToken)).claims()
        let id = try #require(SessionID(rawValue: try claims.string(ClaimName.sessionID)))
        let ends = try await fixture.platform.database.write { connection in
            try [1, 2].map { _ in
                try Sessions(connection).end(
                    id, tenant: fixture.tenant.id, at: fixture.clock.now, because: .signedOut, by: "test")
            }
        }
        #expect(ends == [true, false])
        let lines = try await fixture.platform.database.read { try AuditLog($0).latest(9, tenant: fixture.tenant.id) }
        #expect(lines.filter { $0.action == "session.end" }.map(\.outcome) == ["signed-out"])
        #expect(try await fixture.me(try tokens.string(ReplyName.accessToken)).status == .unauthorized)
    }
}
