// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import IdentityPlatform
import OAuth
import Storage
import TestSupport
import Testing

/// Tests the device code flow: a program shows a code, and the person signs in with a browser elsewhere (RFC 8628).
@Suite struct DeviceCodeTests {
    /// The program that shows the code.
    fileprivate struct Screen {
        let fixture: TestPlatform
        let reply: Members

        init(_ fixture: TestPlatform, _ changes: [String: String?] = [:], path: String = "v2.0/devicecode") async throws
        {
            self.fixture = fixture
            var fields: [String: String?] = [
                "client_id": fixture.app.id.rawValue, "scope": "openid offline_access User.Read",
            ]
            for (name, value) in changes { fields[name] = value }
            let body = fields.compactMap { name, value in value.map { "\(name)=\(percentEncoded($0))" } }
            let answer = try await fixture.client.send(
                .post, "/\(fixture.tenant.id)/oauth2/\(path)", body: body.joined(separator: "&"))
            #expect(answer.status == .ok, "\(answer.text)")
            reply = try answer.json
        }

        var userCode: String { get throws { try reply.string(ReplyName.userCode) } }

        func poll(_ changes: [String: String?] = [:]) async throws -> TestResponse {
            var fields: [String: String?] = [
                "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "client_id": fixture.app.id.rawValue,
                "device_code": try reply.string(ReplyName.deviceCode), "client_info": "1",
            ]
            for (name, value) in changes { fields[name] = value }
            return try await fixture.token(fields)
        }

        /// Acts as the person: types the code, signs in if asked, and answers.
        func answer(
            _ choice: String, browser: Browser, code: String? = nil, username: String = "amara@contoso.test"
        ) async throws -> TestResponse {
            var page = try await type(code ?? userCode, browser)
            if page.text.contains("name=\"password\"") {
                page = try await browser.submit(page, username: username, password: TestPlatform.password)
            }
            guard page.text.contains("name=\"choice\"") else { return page }
            return try await browser.post(
                try #require(page.attribute("action", of: "<form")),
                [
                    "csrf": try #require(page.hidden("csrf")), "user_code": try #require(page.hidden("user_code")),
                    "choice": choice,
                ])
        }

        func type(_ code: String, _ browser: Browser) async throws -> TestResponse {
            let page = try await browser.get("/common/oauth2/deviceauth")
            return try await browser.post(
                try #require(page.attribute("action", of: "<form")),
                ["csrf": try #require(page.hidden("csrf")), "user_code": code])
        }
    }

    private func error(_ answer: TestResponse) throws -> String { try answer.json.string(ReplyName.error) }

    @Test func `a person can sign another screen in`() async throws {
        let fixture = try await TestPlatform()
        let screen = try await Screen(fixture)
        #expect(
            try screen.reply.string(ReplyName.verificationURI) == "https://login.test:8443/common/oauth2/deviceauth")
        #expect(try screen.reply.integer(ReplyName.interval) == 5)
        #expect(try screen.reply.integer(ReplyName.expiresIn) == 900)
        let code = try screen.userCode
        #expect(code.count == 9 && code.allSatisfy { "BCDFGHJKLMNPQRSTVWXZ-".contains($0) })
        #expect(try screen.reply.string(ReplyName.message).contains(code))
        #expect(try error(try await screen.poll()) == "authorization_pending")

        let browser = Browser(fixture)
        let question = try await screen.type(code.lowercased().replacing("-", with: " "), browser)
        let asked = try await browser.submit(question, username: "amara@contoso.test", password: TestPlatform.password)
        #expect(asked.text.contains("Ward &lt;app&gt;") && asked.text.contains("amara@contoso.test"))
        #expect(asked.headers[.contentSecurityPolicy]?.contains("frame-ancestors 'none'") == true)
        let done = try await screen.answer("yes", browser: browser)
        #expect(done.text.contains("You are signed in"))

        fixture.clock.advance(by: .seconds(5))
        let tokens = try await screen.poll().json
        #expect(try await fixture.me(try tokens.string(ReplyName.accessToken)).status == .ok)
        #expect(try await fixture.refresh(try tokens.string(ReplyName.refreshToken)).status == .ok)
        #expect(try ClientInfo(decoding: try tokens.string(ReplyName.clientInfo)).userID == fixture.amara.id.rawValue)
        #expect(try await screen.poll().errorNumber == 70018)
        // The tokens belong to their own session, which outlives the browser's.
        _ = try await browser.confirm(try await browser.get("/common/oauth2/v2.0/logout"))
        #expect(try await fixture.me(try tokens.string(ReplyName.accessToken)).status == .ok)
        let lines = try await fixture.platform.database.read { try AuditLog($0).latest(20, tenant: fixture.tenant.id) }
        #expect(lines.filter { $0.action == "device-code.approve" && $0.actor == fixture.amara.id.rawValue }.count == 1)
    }

    @Test func `with max_age only a recent sign-in counts, and the person signs in at most once`() async throws {
        let fixture = try await TestPlatform()
        let browser = Browser(fixture)
        _ = try await browser.signIn(AuthorizeQuery(fixture))
        fixture.clock.advance(by: .seconds(300))
        // The browser's sign-in is recent enough at first, but not later.
        let recent = try await Screen(fixture, ["max_age": "300"])
        #expect(try await recent.type(try recent.userCode, browser).text.contains("name=\"choice\""))
        fixture.clock.advance(by: .seconds(1))
        let screen = try await Screen(fixture, ["max_age": "300"])
        let page = try await screen.type(try screen.userCode, browser)
        #expect(page.text.contains("name=\"password\"") && !page.text.contains("name=\"choice\""))
        // The answer is also refused if the page before it is skipped.
        let other = try await Screen(fixture)
        let form = try await other.type(try other.userCode, browser)
        let skipped = try await browser.post(
            try #require(form.attribute("action", of: "<form")),
            ["csrf": try #require(form.hidden("csrf")), "user_code": try screen.userCode, "choice": "yes"])
        #expect(skipped.text.contains("name=\"password\""))
        #expect(try error(try await screen.poll()) == "authorization_pending")

        let question = try await browser.submit(page, username: "amara@contoso.test", password: TestPlatform.password)
        let begun = fixture.clock.now
        // The person may take longer than max_age to answer.
        fixture.clock.advance(by: .seconds(400))
        let done = try await browser.post(
            try #require(question.attribute("action", of: "<form")),
            ["csrf": try #require(question.hidden("csrf")), "user_code": try screen.userCode, "choice": "yes"])
        #expect(done.text.contains("You are signed in"))
        let access = try await screen.poll().json.string(ReplyName.accessToken)
        let platform = fixture.platform
        let token = try await platform.accessTokens.check(
            authorization: "Bearer \(access)", for: platform.resources.graph)
        #expect(token.session.begun == begun)
    }

    @Test(arguments: ["-1", "x", "1.5", ""])
    func `a malformed max_age is refused`(text: String) async throws {
        let fixture = try await TestPlatform()
        let answer = try await fixture.client.send(
            .post, "/\(fixture.tenant.id)/oauth2/v2.0/devicecode",
            body: "client_id=\(fixture.app.id)&scope=User.Read&max_age=\(text)")
        #expect(answer.errorNumber == (text.isEmpty ? nil : 9_002_313), "\(answer.text)")
    }

    @Test func `another site cannot press the button that signs a screen in`() async throws {
        let fixture = try await TestPlatform()
        let screen = try await Screen(fixture)
        let browser = Browser(fixture)
        let signIn = try await screen.type(try screen.userCode, browser)
        let question = try await browser.submit(signIn, username: "amara@contoso.test", password: TestPlatform.password)
        let foreign = String(repeating: "A", count: try #require(question.hidden("csrf")).count)
        let answer = try await browser.post(
            try #require(question.attribute("action", of: "<form")),
            ["csrf": foreign, "user_code": try #require(question.hidden("user_code")), "choice": "yes"])
        #expect(!answer.text.contains("You are signed in"))
        #expect(try error(try await screen.poll()) == "authorization_pending")
    }

    @Test func `clients of version 1 get the parameter names of version 1`() async throws {
        let fixture = try await TestPlatform()
        let screen = try await Screen(
            fixture, ["scope": nil, "resource": "https://graph.microsoft.com"], path: "devicecode")
        #expect(try screen.reply.string(ReplyName.verificationURL).hasSuffix("/common/oauth2/deviceauth"))
        #expect(try screen.reply.string(ReplyName.expiresIn) == "900")
        #expect(try screen.reply.string(ReplyName.interval) == "5")
        _ = try await screen.answer("yes", browser: Browser(fixture))
        let code = try screen.reply.string(ReplyName.deviceCode)
        let body = [
            "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code", "client_id=\(fixture.app.id)",
            "code=\(code)",
        ].joined(separator: "&")
        let answer = try await fixture.client.send(.post, "/\(fixture.tenant.id)/oauth2/token", body: body)
        #expect(try answer.json.string(ReplyName.resource) == "https://graph.microsoft.com")
        #expect(try answer.json.string(ReplyName.expiresIn) == "3600")
    }

    @Test func `a person's refusal is reported once and is final`() async throws {
        let fixture = try await TestPlatform()
        let screen = try await Screen(fixture)
        let browser = Browser(fixture)
        #expect(try await screen.answer("no", browser: browser).text.contains("Cancelled"))
        #expect(try error(try await screen.poll()) == "authorization_declined")
        #expect(try await screen.answer("yes", browser: browser).shownError == 5000620)
        #expect(try error(try await screen.poll()) == "authorization_declined")
    }

    @Test func `a code expires for the person and for the program`() async throws {
        let fixture = try await TestPlatform()
        let screen = try await Screen(fixture)
        fixture.clock.advance(by: .seconds(900))
        #expect(try error(try await screen.poll()) == "expired_token")
        #expect(
            try await screen.answer("yes", browser: Browser(fixture)).shownError == 5000620)
        let late = try await Screen(fixture)
        _ = try await late.answer("yes", browser: Browser(fixture))
        fixture.clock.advance(by: .seconds(900))
        #expect(try error(try await late.poll()) == "expired_token")
    }

    @Test func `only a client that polls at least twice as often as agreed is told to slow down`() async throws {
        let fixture = try await TestPlatform()
        let screen = try await Screen(fixture)
        _ = try await screen.poll()
        for (pause, word) in [(3, "authorization_pending"), (2, "slow_down"), (3, "authorization_pending")] {
            fixture.clock.advance(by: .seconds(pause))
            #expect(try error(try await screen.poll()) == word)
        }
    }

    @Test func `a device code works only for its own client`() async throws {
        let fixture = try await TestPlatform()
        let screen = try await Screen(fixture)
        _ = try await screen.answer("yes", browser: Browser(fixture))
        #expect(try await screen.poll(["client_id": WellKnownApplication.broker]).errorNumber == 70018)
        #expect(try await screen.poll(["client_secret": "x"]).errorNumber == 700025)
        #expect(try await screen.poll(["device_code": nil]).errorNumber == 900144)
        #expect(try await screen.poll(["device_code": "x"]).errorNumber == 70018)
        #expect(try await screen.poll().status == .ok)
    }

    @Test func `many simultaneous redemptions of one code yield tokens once`() async throws {
        let fixture = try await TestPlatform()
        let screen = try await Screen(fixture)
        _ = try await screen.answer("yes", browser: Browser(fixture))
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { try await screen.poll().status.code } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.filter { $0 == 200 }.count == 1)
    }

    @Test func `guesses are counted by address, and a correct code does not count`() async throws {
        let fixture = try await TestPlatform()
        let screen = try await Screen(fixture)
        let guesser = Browser(fixture.from("192.0.2.1"))
        for _ in 0..<10 {
            let page = try await Screen.typed("BBBB-BBBB", guesser)
            #expect(page.shownError == 5000620)
        }
        let locked = try await Screen.typed(try screen.userCode, guesser)
        #expect(locked.shownError == 5000621)
        let restarted = try await fixture.restarted()
        let again = try await Screen.typed(try screen.userCode, Browser(restarted.from("192.0.2.1")))
        #expect(again.shownError == 5000621)
        let other = Browser(fixture.from("192.0.2.2"))
        for _ in 0..<12 { #expect(try await screen.type(try screen.userCode, other).alert == nil) }
        fixture.clock.advance(by: .seconds(30))
        #expect(try await Screen.typed(try screen.userCode, guesser).alert == nil)
    }

    @Test func `strangers' guesses do not keep a signed-in person at their address from typing a code`() async throws {
        let fixture = try await TestPlatform().from("192.0.2.1")
        let screen = try await Screen(fixture)
        func number(_ code: String, _ browser: Browser) async throws -> Int? {
            try await Screen.typed(code, browser).shownError
        }
        let (amara, again, bo) = (Browser(fixture), Browser(fixture), Browser(fixture))
        for browser in [amara, again] { _ = try await browser.signIn(AuthorizeQuery(fixture)) }
        _ = try await bo.signIn(AuthorizeQuery(fixture), username: "bo@contoso.test")
        let code = try screen.userCode
        for _ in 1...10 { #expect(try await number("BBBB-BBBB", Browser(fixture)) == 5_000_620) }
        #expect(try await number(code, Browser(fixture)) == 5_000_621)
        #expect(try await number(code, amara) == nil)
        // Guesses by a signed-in person are counted per person, in any browser and from any address.
        for _ in 1...5 {
            for browser in [amara, again] { #expect(try await number("BBBB-BBBB", browser) == 5_000_620) }
        }
        let moved = Browser(fixture.from("192.0.2.2"), cookies: amara.cookies)
        for browser in [amara, again, moved] { #expect(try await number(code, browser) == 5_000_621) }
        #expect(try await number(code, bo) == nil)
        fixture.clock.advance(by: .seconds(30))
        #expect(try await number(code, amara) == nil)
        // A browser whose session has ended counts as a stranger.
        try await fixture.administration.users.setEnabled(false, fixture.amara)
        #expect(try await number(code, Browser(fixture)) == nil)
        for _ in 1...1 { #expect(try await number("BBBB-BBBB", Browser(fixture)) == 5_000_620) }
        #expect(try await number(code, amara) == 5_000_621)
    }

    @Test func `guesses at user codes have total limits, one for strangers and one for signed-in people`() async throws
    {
        let fixture = try await TestPlatform()
        let screen = try await Screen(fixture)
        let (amara, bo) = (Browser(fixture.from("192.0.2.3")), Browser(fixture.from("192.0.2.3")))
        _ = try await amara.signIn(AuthorizeQuery(fixture))
        _ = try await bo.signIn(AuthorizeQuery(fixture), username: "bo@contoso.test")
        func stranger(_ number: Int) -> Browser { Browser(fixture.from("198.51.100.\(number)")) }
        func isLocked(_ browser: Browser) async throws -> Bool {
            try await Screen.typed(try screen.userCode, browser).shownError == 5000621
        }
        for (kind, first, second, other) in [
            ("userCodesOfStrangers", stranger(1), stranger(2), bo), ("userCodesOfPeople", amara, bo, stranger(3)),
        ] {
            _ = try await Screen.typed("BBBB-BBBB", first)
            // 999 of the 1000 guesses are used up.
            let drained = fixture.clock.now + .seconds(2 * 999)
            let rows = try await fixture.platform.database.write { connection in
                try connection.execute(
                    "UPDATE signInThrottle SET drained = \(drained), expires = \(drained) WHERE kind = \(kind)")
            }
            #expect(rows == 1)
            #expect(try await !isLocked(second))
            _ = try await Screen.typed("BBBB-BBBB", first)
            #expect(try await isLocked(second))
            #expect(try await !isLocked(other))
            fixture.clock.advance(by: .seconds(2))
            #expect(try await !isLocked(second))
        }
    }

    @Test func `the forms are accepted only with the cookie of the same browser`() async throws {
        let fixture = try await TestPlatform()
        let screen = try await Screen(fixture)
        let browser = Browser(fixture)
        let page = try await screen.type(try screen.userCode, browser)
        let asked = try await browser.submit(page, username: "amara@contoso.test", password: TestPlatform.password)
        let csrf = try #require(asked.hidden("csrf"))
        let action = try #require(asked.attribute("action", of: "<form"))
        let kept = browser.cookies["__Host-baton-session"].map { "__Host-baton-session=\($0)" } ?? ""
        let forged = try await fixture.client.post(
            action, form: ["csrf": csrf, "user_code": try screen.userCode, "choice": "yes"],
            headers: [.cookie: kept])
        #expect(forged.shownError == 165900)
        #expect(try error(try await screen.poll()) == "authorization_pending")
    }

    @Test func `a wrong password on this page counts as one`() async throws {
        let fixture = try await TestPlatform()
        let screen = try await Screen(fixture)
        let browser = Browser(fixture)
        let page = try await screen.type(try screen.userCode, browser)
        let wrong = try await browser.submit(page, username: "amara@contoso.test", password: "wrong")
        #expect(wrong.alert == "The user name or password is not right. Check both, then try again. (AADSTS50126)")
        for _ in 0..<9 { _ = try await browser.submit(page, username: "amara@contoso.test", password: "wrong") }
        let locked = try await browser.submit(page, username: "amara@contoso.test", password: TestPlatform.password)
        #expect(locked.shownError == 50053)
        #expect(browser.cookies["__Host-baton-session"] == nil)
    }

    @Test func `a session on a shared device cannot sign in another device`() async throws {
        let fixture = try await TestPlatform()
        let browser = Browser(fixture)
        let testDevice = try await TestDevice.joined(fixture)
        let refresh = try await fixture.brokerTokens(browser: browser).string(ReplyName.refreshToken)
        #expect(try await testDevice.issue(refresh).status == .ok)
        let screen = try await Screen(fixture)
        let answer = try await screen.answer("yes", browser: browser)
        #expect(answer.shownError == 5000622)
        #expect(try error(try await screen.poll()) == "authorization_pending")
    }

    @Test func `device codes are limited by address and in total`() async throws {
        let fixture = try await TestPlatform()
        func ask(_ client: ClientID? = nil, from address: String) async throws -> TestResponse {
            try await fixture.from(address).client.post(
                "/\(fixture.tenant.id)/oauth2/v2.0/devicecode",
                form: ["client_id": (client ?? fixture.app.id).rawValue, "scope": "openid"])
        }
        func fill(to count: Int) async throws {
            try await fixture.platform.database.write { connection in
                let rows = try connection.rows("SELECT hash FROM deviceCode").count
                for number in rows..<count {
                    let hash = Array("filler \(number)".utf8)
                    try connection.execute(
                        """
                        INSERT INTO deviceCode (tenant, hash, userCodeHash, client, scope, expires)
                        VALUES (\(fixture.tenant.id), \(hash), \(hash), \(fixture.app.id), '', \(fixture.clock.now + .seconds(60)))
                        """)
                }
            }
        }
        for _ in 0..<60 { #expect(try await ask(from: "192.0.2.1").status == .ok) }
        let refused = try await ask(from: "192.0.2.1")
        #expect(refused.errorNumber == 5_000_627 && refused.status == .serviceUnavailable)
        #expect(try await ask(from: "192.0.2.2").status == .ok)
        fixture.clock.advance(by: .seconds(5))
        #expect(try await ask(from: "192.0.2.1").status == .ok)
        // Requests from other addresses do not count against this address, even for the same client.
        let drained = fixture.clock.now + .seconds(1000)
        try await fixture.platform.database.write { connection in
            _ = try connection.execute(
                "UPDATE signInThrottle SET drained = \(drained), expires = \(drained) WHERE kind <> 'deviceCodesOfAddress'"
            )
        }
        #expect(try await ask(from: "192.0.2.3").status == .ok)
        let other = try await fixture.administration.clients.add(
            NewClient(displayName: "Other", redirectURIs: []), tenant: fixture.tenant)
        // Expired codes make room for new ones; valid codes do not.
        try await fill(to: 5_000)
        // Once half of the capacity is used, each address gets only a few codes.
        for _ in 0..<5 { #expect(try await ask(from: "192.0.2.5").status == .ok) }
        #expect(try await ask(from: "192.0.2.5").errorNumber == 5_000_627)
        #expect(try await ask(from: "192.0.2.6").status == .ok)
        try await fill(to: 10_000)
        #expect(try await ask(other.id, from: "192.0.2.4").errorNumber == 5_000_627)
        fixture.clock.advance(by: .seconds(60))
        #expect(try await ask(other.id, from: "192.0.2.4").status == .ok)
        let rows = try await fixture.platform.database.read { try $0.rows("SELECT hash FROM deviceCode").count }
        #expect(rows < 10_000)
    }

    @Test func `a broker gets no device code, and nobody one for device registration`() async throws {
        let fixture = try await TestPlatform()
        _ = try await fixture.administration.clients.addCompatibilityPack(tenant: fixture.tenant)
        let windowsSignIn = "38aa3b87-a06d-4817-b275-7a316988d93b"
        let azureCommandLine = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"
        let registration = "urn:ms-drs:drs.test"
        for (client, form, path, number) in [
            (WellKnownApplication.broker, ["scope": "openid"], "v2.0/devicecode", 5_000_625),
            (WellKnownApplication.broker, ["resource": registration], "devicecode", 5_000_625),
            (windowsSignIn, ["scope": "openid"], "v2.0/devicecode", 5_000_625),
            (azureCommandLine, ["scope": "\(registration)/.default"], "v2.0/devicecode", 5_000_626),
            (azureCommandLine, ["resource": registration], "devicecode", 5_000_626),
        ] {
            let body = form.merging(["client_id": client]) { $1 }.map { "\($0)=\(percentEncoded($1))" }
            let answer = try await fixture.client.send(
                .post, "/\(fixture.tenant.id)/oauth2/\(path)", body: body.joined(separator: "&"))
            #expect(answer.errorNumber == number, "\(client) \(answer.text)")
        }
        let rows = try await fixture.platform.database.read { try $0.rows("SELECT hash FROM deviceCode") }
        #expect(rows.isEmpty)
    }

    @Test func `tokens from a device code cannot register a device or get a primary refresh token`() async throws {
        let fixture = try await TestPlatform()
        _ = try await fixture.administration.clients.addCompatibilityPack(tenant: fixture.tenant)
        let testDevice = try await TestDevice.joined(fixture)
        let client = ["client_id": "04b07795-8ddb-461a-bbee-02f9e1bf7b46"] as [String: String?]
        let screen = try await Screen(fixture, client)
        _ = try await screen.answer("yes", browser: Browser(fixture))
        let refresh = try await screen.poll(client).json.string(ReplyName.refreshToken)
        let registration = client.merging(["scope": "openid offline_access urn:ms-drs:drs.test/.default"]) { $1 }
        #expect(try await fixture.refresh(refresh, registration).errorNumber == 5_000_626)
        // The tokens are refused even if the client has since become a broker, or already has a registration token.
        try await fixture.platform.database.write { connection in
            _ = try connection.execute(
                "UPDATE client SET isBroker = 1 WHERE id = '04b07795-8ddb-461a-bbee-02f9e1bf7b46'")
        }
        let broker = try #require(client["client_id"] ?? nil)
        #expect(try await testDevice.issue(refresh, clientID: broker).errorNumber == 5_000_626)
        let token = try await fixture.registrationToken("amara@contoso.test")
        try await fixture.platform.database.write { _ = try $0.execute("UPDATE session SET fromDeviceCode = 1") }
        let refused = try await TestDevice(fixture, number: 1).join(token, isShared: false)
        #expect(refused.registrationCode == "authorization_failed", "\(refused.text)")
    }

    @Test func `neither code is in the database`() async throws {
        let fixture = try await TestPlatform()
        let screen = try await Screen(fixture)
        let rows = try await fixture.platform.database.read { try $0.rows("SELECT * FROM deviceCode").flatMap(\.cells) }
        #expect(rows.count > 3)
        let secrets = [try screen.reply.string(ReplyName.deviceCode), try screen.userCode]
        for secret in secrets + [secrets[1].replacing("-", with: "")] {
            #expect(rows.allSatisfy { $0.firstRange(of: Array(secret.utf8)) == nil })
        }
        fixture.clock.advance(by: .seconds(2 * 86400))
        while try await Housekeeping(fixture.platform).sweep() > 0 {}
        #expect(try await fixture.platform.database.read { try $0.rows("SELECT hash FROM deviceCode") }.isEmpty)
    }
}

extension DeviceCodeTests.Screen {
    fileprivate static func typed(_ code: String, _ browser: Browser) async throws -> TestResponse {
        let page = try await browser.get("/common/oauth2/deviceauth?user_code=\(code)")
        return try await browser.post(
            try #require(page.attribute("action", of: "<form")),
            ["csrf": try #require(page.hidden("csrf")), "user_code": code])
    }
}
