// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import IdentityPlatform
import OAuth
import Redaction
import Storage
import TestSupport
import Testing

/// The worker's browser stays bound to the device and its epoch, whatever requests it makes.
@Suite struct BrowserBindingTests {
    private struct Shop {
        let fixture: TestPlatform
        let testDevice: TestDevice
        /// The browser in which Amara signed the device in.
        let browser: Browser
        let session: TestDeviceSession
    }

    private func shop(isShared: Bool = true) async throws -> Shop {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture, isShared: isShared)
        let browser = Browser(fixture)
        return Shop(
            fixture: fixture, testDevice: testDevice, browser: browser,
            session: try await begin(fixture, testDevice, browser))
    }

    private func begin(
        _ fixture: TestPlatform, _ testDevice: TestDevice, _ browser: Browser, counter: Int = 1
    ) async throws -> TestDeviceSession {
        let query = AuthorizeQuery(
            fixture, ["client_id": WellKnownApplication.broker, "scope": "openid offline_access", "prompt": "login"])
        let code = try await browser.signIn(query)[ParameterName.code]
        let refresh = try await fixture.redeem(code, ["client_id": WellKnownApplication.broker]).json
            .string(ReplyName.refreshToken)
        let answer = try await testDevice.issue(refresh, counter: counter)
        #expect(answer.status == .ok, "\(answer.text)")
        let reply = try PrimaryRefreshToken.IssueReply(decoding: answer.body)
        return TestDeviceSession(
            testDevice: testDevice, reply: reply, key: try reply.sessionKey(transportKey: testDevice.transportKey),
            counter: counter,
            brokerRefreshToken: refresh)
    }

    private func sessions(_ fixture: TestPlatform) async throws -> Int {
        try await fixture.platform.database.read { try $0.rows("SELECT id FROM session WHERE ended IS NULL").count }
    }

    private func login(_ fixture: TestPlatform) -> AuthorizeQuery { AuthorizeQuery(fixture, ["prompt": "login"]) }

    @Test func `another person who signs in in the worker's browser is refused and told what to do`() async throws {
        let shop = try await shop()
        let before = try await sessions(shop.fixture)
        let page = try await shop.browser.get(login(shop.fixture).path)
        let answer = try await shop.browser.submit(page, username: "bo@contoso.test", password: TestPlatform.password)
        #expect(answer.status == .badRequest && answer.headers[.location] == nil)
        #expect(answer.shownError == 5000623)
        #expect(answer.alert?.contains("Hand the device over first") == true)
        #expect(try await sessions(shop.fixture) == before)
        #expect(try await shop.session.use().status == .ok)
        let fixture = shop.fixture
        let lines = try await fixture.platform.database.read { try AuditLog($0).latest(5, tenant: fixture.tenant.id) }
        #expect(lines.contains { $0.actor == fixture.bo.id.rawValue && $0.outcome == "refused" })
        // A wrong password gets the usual error.
        let wrong = try await shop.browser.submit(page, username: "bo@contoso.test", password: "wrong")
        #expect(wrong.shownError == 50126)
        #expect(try await shop.session.end().status == .ok)
        let next = try await shop.browser.signIn(login(shop.fixture), username: "bo@contoso.test")
        #expect(next[ParameterName.code] != nil)
    }

    @Test func `a correct password refused because of the device is not counted, and resets no count`()
        async throws
    {
        let shop = try await shop()
        let page = try await shop.browser.get(login(shop.fixture).path)
        func attempt(_ password: String = TestPlatform.password) async throws -> String? {
            let answer = try await shop.browser.submit(page, username: "bo@contoso.test", password: password)
            return answer.shownError.map { "AADSTS\($0)" }
        }
        for _ in 1...9 { #expect(try await attempt("wrong") == "AADSTS50126") }
        for _ in 1...12 { #expect(try await attempt() == "AADSTS5000623") }
        #expect(try await attempt("wrong") == "AADSTS50126")
        #expect(try await attempt() == "AADSTS50053")
        // The ten wrong passwords lock Bo out on this device. The correct passwords that were refused are not counted
        // anywhere.
        let elsewhere = Browser(shop.fixture)
        _ = try await elsewhere.signIn(login(shop.fixture), username: "bo@contoso.test")
    }

    @Test func `a correct password that is refused because the device is disabled is not counted`() async throws {
        let shop = try await shop()
        let page = try await shop.browser.get(login(shop.fixture).path)
        let id = try #require(DeviceID(rawValue: try shop.testDevice.id))
        try await shop.fixture.administration.devices.setEnabled(false, id, tenant: shop.fixture.tenant)
        for _ in 1...12 {
            let answer = try await shop.browser.submit(
                page, username: "bo@contoso.test", password: TestPlatform.password)
            #expect(answer.shownError == 135011)
        }
    }

    @Test(arguments: ["amara@contoso.test", "bo@contoso.test"])
    func `another device's credential signs nobody in in the worker's browser, and does not rebind it`(
        person: String
    ) async throws {
        let shop = try await shop()
        let own = try await TestDevice.joined(shop.fixture, number: 1, isShared: false).session(person)
        let name = try #require(HTTPField.Name(BrowserCredential.name))
        for query in [AuthorizeQuery(shop.fixture), AuthorizeQuery(shop.fixture, ["prompt": "none"])] {
            let answer = try await shop.browser.get(query.path, [name: try await own.credential()])
            #expect(answer.status == .badRequest && answer.headers[.location] == nil)
            #expect(answer.shownError == 5000623)
        }
        // The browser's next sign-in still belongs to the device and the epoch.
        let code = try await shop.browser.signIn(login(shop.fixture))[ParameterName.code]
        let reply = try await shop.fixture.redeem(code).json
        let claims = try CompactJWS(try reply.string(ReplyName.accessToken)).claims()
        #expect(try claims.optionalString(ClaimName.deviceID) == shop.testDevice.id)
        #expect(try await shop.session.end().status == .ok)
        #expect(try await shop.fixture.refresh(try reply.string(ReplyName.refreshToken)).status != .ok)
        #expect(try await own.use().status == .ok)
    }

    @Test func `a foreign session cookie signs nobody in in the worker's browser`() async throws {
        let shop = try await shop()
        let other = Browser(shop.fixture)
        _ = try await other.signIn(AuthorizeQuery(shop.fixture), username: "bo@contoso.test")
        var cookies = shop.browser.cookies
        cookies["__Host-baton-session"] = other.cookies["__Host-baton-session"]
        let planted = Browser(shop.fixture, cookies: cookies)
        let silent = try await planted.get(AuthorizeQuery(shop.fixture, ["prompt": "none"]).path)
        #expect(try silent.returned()[ParameterName.code] == nil)
        let page = try await planted.get(AuthorizeQuery(shop.fixture).path)
        let refused = try await planted.submit(page, username: "bo@contoso.test", password: TestPlatform.password)
        #expect(refused.shownError == 5000623)
    }

    @Test func `an account of another organisation counts as another person`() async throws {
        let shop = try await shop()
        let administration = shop.fixture.administration
        let other = try await administration.tenants.add(displayName: "Fabrikam", domain: "fabrikam.test")
        _ = try await administration.users.add(
            "amara@fabrikam.test", profile: User.Profile(displayName: "Amara"),
            password: Sensitive(TestPlatform.password),
            tenant: other)
        let app = try await administration.clients.add(
            NewClient(displayName: "App", redirectURIs: [TestPlatform.redirect]), tenant: other)
        var query = AuthorizeQuery(shop.fixture, ["client_id": app.id.rawValue])
        query.tenant = other.id.rawValue
        let page = try await shop.browser.get(query.path)
        let answer = try await shop.browser.submit(
            page, username: "amara@fabrikam.test", password: TestPlatform.password)
        #expect(answer.shownError == 5000623)
    }

    @Test func `the page for device codes applies the same rules`() async throws {
        let shop = try await shop()
        let begun = try await shop.fixture.client.post(
            "/\(shop.fixture.tenant.id)/oauth2/v2.0/devicecode",
            form: ["client_id": shop.fixture.app.id.rawValue, "scope": "openid"]
        ).json
        // Only the browser's session cookie is missing.
        let cookies = shop.browser.cookies.filter { $0.key != "__Host-baton-session" }
        let browser = Browser(shop.fixture, cookies: cookies)
        var page = try await browser.get("/common/oauth2/deviceauth")
        page = try await browser.post(
            try #require(page.attribute("action", of: "<form")),
            ["csrf": try #require(page.hidden("csrf")), "user_code": try begun.string(ReplyName.userCode)])
        let refused = try await browser.submit(page, username: "bo@contoso.test", password: TestPlatform.password)
        #expect(refused.shownError == 5000623)
        let asked = try await browser.submit(page, username: "amara@contoso.test", password: TestPlatform.password)
        let answer = try await browser.confirm(asked, choice: "yes")
        #expect(answer.shownError == 5000622)
    }

    @Test func `a page that was still open after the device was signed out starts no session`() async throws {
        let shop = try await shop()
        let page = try await shop.browser.get(login(shop.fixture).path)
        #expect(try await shop.session.end().status == .ok)
        let again = try await shop.browser.submit(page, username: "amara@contoso.test", password: TestPlatform.password)
        #expect(again.shownError == 5000624)
        #expect(try await sessions(shop.fixture) == 1, "the administrator's, who joined the device")
        let answer = try await shop.browser.submit(
            again, username: "amara@contoso.test", password: TestPlatform.password)
        #expect(try answer.returned()[ParameterName.code] != nil)
    }

    @Test func `earlier browser sessions of the worker join the epoch, and those of others end`()
        async throws
    {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        let browser = Browser(fixture)
        let bo = try await fixture.signedIn("bo@contoso.test", browser: browser).string(ReplyName.refreshToken)
        let code = try await browser.signIn(login(fixture))[ParameterName.code]
        let amara = try await fixture.redeem(code).json.string(ReplyName.refreshToken)
        let session = try await begin(fixture, testDevice, browser)
        #expect(try await fixture.refresh(bo).errorNumber == 70000)
        let reply = try await fixture.refresh(amara).json
        #expect(try reply.integer(ReplyName.expiresIn) == 600)
        #expect(try await session.end().status == .ok)
        #expect(try await fixture.refresh(try reply.string(ReplyName.refreshToken)).errorNumber == 70000)
    }

    @Test func `the sessions of one epoch end together, whichever of them is ended`() async throws {
        let shop = try await shop()
        let code = try await shop.browser.signIn(login(shop.fixture))[ParameterName.code]
        let reply = try await shop.fixture.redeem(code).json
        let claims = try CompactJWS(try reply.string(ReplyName.accessToken)).claims()
        let id = try #require(SessionID(rawValue: try claims.string(ClaimName.sessionID)))
        #expect(id.rawValue != shop.session.reply.sessionID)
        try await shop.fixture.administration.users.revoke(id, tenant: shop.fixture.tenant)
        #expect(try await shop.session.use().errorNumber == 70000)
        #expect(try await shop.fixture.refresh(try reply.string(ReplyName.refreshToken)).errorNumber == 70000)
        #expect(try await shop.session.status() == .ended)
        // The device has not ended its epoch yet. Until then the browser belongs to the worker.
        let page = try await shop.browser.get(login(shop.fixture).path)
        let answer = try await shop.browser.submit(page, username: "bo@contoso.test", password: TestPlatform.password)
        #expect(answer.shownError == 5000623)
    }

    @Test func `nobody can sign in in the browser of a disabled device`() async throws {
        let shop = try await shop()
        let id = try #require(DeviceID(rawValue: try shop.testDevice.id))
        try await shop.fixture.administration.devices.setEnabled(false, id, tenant: shop.fixture.tenant)
        let page = try await shop.browser.get(login(shop.fixture).path)
        let answer = try await shop.browser.submit(
            page, username: "amara@contoso.test", password: TestPlatform.password)
        #expect(answer.shownError == 135011)
    }

    @Test func `an epoch belongs to one worker, and a session to one epoch`() async throws {
        let shop = try await shop()
        let bo = try await shop.fixture.brokerTokens("bo@contoso.test").string(ReplyName.refreshToken)
        #expect(try await shop.testDevice.issue(bo, counter: 1).suberror == Suberror.staleEpoch)
        #expect(try await shop.session.use().status == .ok)
        let query = AuthorizeQuery(
            shop.fixture,
            ["client_id": WellKnownApplication.broker, "scope": "openid offline_access", "prompt": "login"])
        let code = try await shop.browser.signIn(query)[ParameterName.code]
        let second = try await shop.fixture.redeem(code, ["client_id": WellKnownApplication.broker]).json
            .string(ReplyName.refreshToken)
        #expect(try await shop.testDevice.issue(second, counter: 2).errorNumber == 70000)
        #expect(try await shop.testDevice.issue(second, counter: 1).status == .ok)
    }

    @Test func `on a personal device another person may sign in, and only the owner's session is bound to it`()
        async throws
    {
        let shop = try await shop(isShared: false)
        let own = try await shop.fixture.redeem(try await shop.browser.signIn(login(shop.fixture))[ParameterName.code])
        let ofOwner = try CompactJWS(try own.json.string(ReplyName.accessToken)).claims()
        #expect(try ofOwner.string(ClaimName.deviceID) == shop.testDevice.id)
        let code = try await shop.browser.signIn(login(shop.fixture), username: "bo@contoso.test")[ParameterName.code]
        let claims = try CompactJWS(try await shop.fixture.redeem(code).json.string(ReplyName.accessToken)).claims()
        #expect(claims[ClaimName.deviceID] == nil)
        // A browser that is recognised only by the device's credential belongs to the device, too.
        let header = try #require(HTTPField.Name(BrowserCredential.name))
        let other = Browser(shop.fixture)
        let page = try await other.get(login(shop.fixture).path, [header: try await shop.session.credential()])
        let answer = try await other.submit(page, username: "amara@contoso.test", password: TestPlatform.password)
        let reply = try await shop.fixture.redeem(try answer.returned()[ParameterName.code]).json
        let known = try CompactJWS(try reply.string(ReplyName.accessToken)).claims()
        #expect(try known.string(ClaimName.deviceID) == shop.testDevice.id)
    }
}
