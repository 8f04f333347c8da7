// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import IdentityPlatform
import OAuth
import Redaction
import Storage
import TestSupport
import Testing

/// Strangers who guess passwords cannot lock anyone out on a joined device, or in a browser in which the person has
/// signed in before.
@Suite struct SignInOriginTests {
    private static let ward = "198.51.100.7"

    /// Tries a password in a browser. Returns the error number in the page's alert; nil on success.
    private func attempt(
        _ browser: Browser, _ path: String, _ name: String = "amara@contoso.test",
        _ password: String = TestPlatform.password
    ) async throws -> Int? {
        let answer = try await browser.submit(try await browser.get(path), username: name, password: password)
        return answer.shownError
    }

    /// Tries invented names until the address is locked.
    private func exhaust(_ fixture: TestPlatform) async throws {
        let browser = Browser(fixture)
        let page = try await browser.get(AuthorizeQuery(fixture).path)
        for number in 1...110 {
            let answer = try await browser.submit(page, username: "n\(number)@contoso.test", password: "wrong")
            if answer.shownError == 50053 { break }
        }
        #expect(try await attempt(Browser(fixture), AuthorizeQuery(fixture).path) == 50053)
    }

    /// Returns the address that a broker opens in a browser without cookies.
    private func page(
        on testDevice: TestDevice, _ fixture: TestPlatform, counter: Int = 1, nonce: String? = nil,
        audience: String? = nil,
        deviceID: String? = nil
    ) async throws -> String {
        let fresh = try await testDevice.nonce()
        let proof = SignInPageProof(
            try testDevice.binding(SignInPageProof.self, nonce: nonce ?? fresh, audience: audience, deviceID: deviceID),
            epoch: try #require(TestDevice.epoch(counter)))
        return page(
            with: try proof.signed(with: .rsa(testDevice.deviceKey), certificate: testDevice.certificate), fixture)
    }

    private func page(with proof: String, _ fixture: TestPlatform) -> String {
        AuthorizeQuery(fixture, ["baton_device_proof": proof]).path
    }

    @Test func `a worker can sign in on a joined device whatever strangers guess from its address`() async throws {
        let fixture = try await TestPlatform().from(Self.ward)
        let testDevice = try await TestDevice.joined(fixture)
        try await exhaust(fixture)
        #expect(try await attempt(Browser(fixture), try await page(on: testDevice, fixture)) == nil)
        // Strangers who know Amara's name can lock this name for all strangers, but not at the device.
        let path = AuthorizeQuery(fixture).path
        let elsewhere = fixture.from("192.0.2.1")
        for _ in 1...10 { _ = try await attempt(Browser(elsewhere), path, "amara@contoso.test", "wrong") }
        #expect(try await attempt(Browser(elsewhere), path) == 50053)
        #expect(try await attempt(Browser(fixture), try await page(on: testDevice, fixture)) == nil)
        #expect(try await attempt(Browser(fixture.from("192.0.2.9")), try await page(on: testDevice, fixture)) == nil)
        #expect(try await attempt(Browser(elsewhere), path) == 50053)
    }

    @Test func `the page names its device, and names none if no device proved itself`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        let browser = Browser(fixture)
        let shown = try await browser.get(try await page(on: testDevice, fixture))
        let line = "<p class=\"device\">On this device: "
        #expect(shown.text.contains(line))
        // The note in the form has the same effect as the device's proof, but only in the same browser.
        let again = try await browser.submit(shown, username: "amara", password: "wrong")
        #expect(again.text.contains(line))
        let stolen = try await Browser(fixture, cookies: ["__Host-baton-csrf": String(repeating: "A", count: 43)])
            .submit(shown, username: "amara", password: "wrong")
        #expect(!stolen.text.contains(line))
        #expect(!(try await Browser(fixture).get(AuthorizeQuery(fixture).path).text.contains(line)))
    }

    @Test func `a browser in which somebody signed in before lets them in whatever strangers guess`() async throws {
        let fixture = try await TestPlatform().from(Self.ward)
        let browser = Browser(fixture)
        let path = AuthorizeQuery(fixture, ["prompt": "login"]).path
        #expect(try await attempt(browser, path) == nil)
        try await exhaust(fixture)
        let elsewhere = fixture.from("192.0.2.1")
        for _ in 1...10 { _ = try await attempt(Browser(elsewhere), path, "amara@contoso.test", "wrong") }
        #expect(try await attempt(browser, path) == nil)
        // The sign-out ends the session, but the server still recognises the browser.
        let question = try await browser.get("/\(fixture.tenant.id)/oauth2/v2.0/logout")
        #expect(try await browser.confirm(question).text.contains("You are signed out"))
        #expect(browser.cookies["__Host-baton-session"] == nil)
        #expect(try await attempt(browser, path) == nil)
        // The cookie has no effect for other people.
        #expect(try await attempt(browser, path, "bo@contoso.test") == 50053)
    }

    @Test func `a browser vouches for up to eight people, for three months and in one organisation`()
        async throws
    {
        let fixture = try await TestPlatform().from(Self.ward)
        let path = AuthorizeQuery(fixture, ["prompt": "login"]).path
        let browser = Browser(fixture)
        #expect(try await attempt(browser, path) == nil)
        for number in 1...7 {
            _ = try await fixture.administration.users.add(
                "p\(number)@contoso.test", profile: User.Profile(displayName: "P"),
                password: Sensitive(TestPlatform.password),
                tenant: fixture.tenant)
            #expect(try await attempt(browser, path, "p\(number)@contoso.test") == nil)
        }
        let text = try #require(browser.cookies["__Host-baton-device"])
        #expect(text.utf8.count < 1000)
        try await exhaust(fixture)
        #expect(try await attempt(browser, path) == nil)
        fixture.clock.advance(by: .seconds(90 * 86400 - 1))
        try await exhaust(fixture)
        #expect(try await attempt(browser, path) == nil)
        fixture.clock.advance(by: .seconds(90 * 86400))
        try await exhaust(fixture)
        #expect(try await attempt(browser, path) == 50053)

        let other = try await TestPlatform().from(Self.ward)
        #expect(try await attempt(Browser(other), AuthorizeQuery(other).path) == nil)
        try await exhaust(other)
        let thief = Browser(other)
        thief.set("__Host-baton-device", text)
        #expect(try await attempt(thief, AuthorizeQuery(other).path) == 50053)
    }

    @Test func `a stolen device cookie gives only its own ten guesses and reveals nothing`() async throws {
        let fixture = try await TestPlatform().from(Self.ward)
        let path = AuthorizeQuery(fixture, ["prompt": "login"]).path
        let browser = Browser(fixture)
        #expect(try await attempt(browser, path) == nil)
        let stolen = try #require(browser.cookies["__Host-baton-device"])
        for secret in [fixture.amara.id.rawValue, "amara", fixture.tenant.id.rawValue] {
            #expect(!stolen.lowercased().contains(secret))
            #expect(try Base64URL.decode(stolen).firstRange(of: Array(secret.utf8)) == nil)
        }
        #expect(try Base64URL.decode(stolen).firstRange(of: fixture.amara.id.bytes) == nil)
        let elsewhere = fixture.from("192.0.2.1")
        func thief() -> Browser {
            let thief = Browser(elsewhere)
            thief.set("__Host-baton-device", stolen)
            return thief
        }
        // At each sign-in, the browser gets a new cookie, for which guesses are counted anew.
        #expect(try await attempt(browser, path) == nil)
        #expect(browser.cookies["__Host-baton-device"] != stolen)
        for _ in 1...10 { #expect(try await attempt(thief(), path, "amara@contoso.test", "wrong") == 50126) }
        #expect(try await attempt(thief(), path, "amara@contoso.test") == 50053)
        #expect(try await attempt(browser, path) == nil)
        #expect(try await attempt(thief(), path, "amara@contoso.test") == 50053)
        // Without the cookie the thief counts as a stranger; guesses with the cookie do not count against strangers.
        #expect(try await attempt(Browser(elsewhere), path) == nil)
    }

    @Test func `a sign-in with a device cookie does not reset earlier failures counted for that cookie`() async throws {
        let fixture = try await TestPlatform().from(Self.ward)
        let path = AuthorizeQuery(fixture, ["prompt": "login"]).path
        let browser = Browser(fixture)
        #expect(try await attempt(browser, path) == nil)
        let stolen = try #require(browser.cookies["__Host-baton-device"])
        func thief() -> Browser {
            let thief = Browser(fixture.from("192.0.2.1"))
            thief.set("__Host-baton-device", stolen)
            return thief
        }
        for _ in 1...9 { #expect(try await attempt(thief(), path, "amara@contoso.test", "wrong") == 50126) }
        // Amara's browser still has the cookie that the thief copied, so both share its ten guesses.
        #expect(try await attempt(browser, path) == nil)
        #expect(try await attempt(thief(), path, "amara@contoso.test", "wrong") == 50126)
        #expect(try await attempt(thief(), path, "amara@contoso.test", "wrong") == 50053)
        #expect(try await attempt(browser, path) == nil)
    }

    @Test func `a device cookie with a changed byte is ignored`() async throws {
        let fixture = try await TestPlatform().from(Self.ward)
        let browser = Browser(fixture)
        let path = AuthorizeQuery(fixture, ["prompt": "login"]).path
        #expect(try await attempt(browser, path) == nil)
        let text = try #require(browser.cookies["__Host-baton-device"])
        try await exhaust(fixture)
        var bytes = try Base64URL.decode(text)
        bytes[20] ^= 1
        for changed in [Base64URL.encode(bytes), "", ".", "..", "AAAA", String(repeating: "A.", count: 2000)] {
            let other = Browser(fixture)
            other.set("__Host-baton-device", changed)
            #expect(try await attempt(other, path) == 50053)
        }
    }

    @Test func `guesses at a joined device are throttled by person, and lock nobody else out`() async throws {
        let fixture = try await TestPlatform().from(Self.ward)
        let testDevice = try await TestDevice.joined(fixture)
        func attemptThere(_ name: String, _ password: String = TestPlatform.password) async throws -> Int? {
            try await attempt(Browser(fixture), try await page(on: testDevice, fixture), name, password)
        }
        #expect(try await attemptThere("bo@contoso.test") == nil)
        for _ in 1...10 { #expect(try await attemptThere("amara@contoso.test", "wrong") == 50126) }
        #expect(try await attemptThere("amara@contoso.test") == 50053)
        #expect(try await attemptThere("bo@contoso.test") == nil)
        // Guesses with invented names are limited on the device, too. They do not affect people who are known there, or
        // anyone elsewhere.
        var refused = 0
        for number in 1...60 {
            if try await attemptThere("n\(number)@contoso.test", "wrong") == 50053 { refused += 1 }
        }
        #expect(refused > 0)
        #expect(try await attemptThere("bo@contoso.test") == nil)
        #expect(try await attempt(Browser(fixture), AuthorizeQuery(fixture).path) == nil)
        fixture.clock.advance(by: .seconds(300))
        #expect(try await attemptThere("amara@contoso.test") == nil)
    }

    @Test func `a page counts as a joined device's only with a fresh proof of an enabled shared device`() async throws {
        let fixture = try await TestPlatform().from(Self.ward)
        let testDevice = try await TestDevice.joined(fixture)
        let personal = try await TestDevice.joined(fixture, number: 1, isShared: false)
        let session = try await testDevice.session()
        let path = try await page(on: testDevice, fixture)
        let used = Browser(fixture)
        #expect(try await attempt(used, path) == nil)
        let nonce = try await testDevice.nonce()
        try await exhaust(fixture)
        let question = SessionStatusRequest(
            try testDevice.binding(SessionStatusRequest.self, nonce: nonce), epoch: try #require(TestDevice.epoch(1)),
            sessionID: nil)
        let pages = [
            path, page(with: "x", fixture), page(with: "a.b.c", fixture),
            try await page(on: personal, fixture), try await page(on: testDevice, fixture, nonce: "AAAA"),
            try await page(on: testDevice, fixture, audience: "https://login.test/x/oauth2/v2.0/authorize"),
            try await page(on: testDevice, fixture, deviceID: fixture.amara.id.rawValue),
            page(
                with: try question.signed(with: .rsa(testDevice.deviceKey), certificate: testDevice.certificate),
                fixture),
        ]
        for (number, page) in pages.enumerated() {
            #expect(try await attempt(Browser(fixture), page) == 50053, "\(number)")
        }
        let late = try await page(on: testDevice, fixture)
        fixture.clock.advance(by: .seconds(301))
        try await exhaust(fixture)
        #expect(try await attempt(Browser(fixture), late) == 50053)
        #expect(try await session.end().status == .ok)
        try await exhaust(fixture)
        #expect(try await attempt(Browser(fixture), try await page(on: testDevice, fixture)) == 50053)
        #expect(try await attempt(Browser(fixture), try await page(on: testDevice, fixture, counter: 2)) == nil)
        let device = try #require(
            try await fixture.platform.database.read { connection in
                try Devices(connection).all(tenant: fixture.tenant.id).first { $0.profileType == .shared }
            })
        try await fixture.administration.devices.setEnabled(false, device.id, tenant: fixture.tenant)
        #expect(try await attempt(Browser(fixture), try await page(on: testDevice, fixture, counter: 2)) == 50053)
    }

    @Test
    func `the form of a device's page is accepted for a quarter of an hour, in the same browser only`()
        async throws
    {
        let fixture = try await TestPlatform().from(Self.ward)
        let testDevice = try await TestDevice.joined(fixture)
        let (browser, other) = (Browser(fixture), Browser(fixture))
        let shown = try await browser.get(try await page(on: testDevice, fixture))
        #expect(!shown.text.contains("baton_device_proof"))
        let request = try #require(shown.hidden("request"))
        let stranger = try await other.get(AuthorizeQuery(fixture).path)
        try await exhaust(fixture)
        let action = try #require(stranger.attribute("action", of: "<form"))
        let moved = try await other.post(
            action,
            [
                "csrf": try #require(stranger.hidden("csrf")), "request": request, "username": "amara@contoso.test",
                "password": TestPlatform.password,
            ])
        #expect(moved.shownError == 50053)
        // After a wrong password the page is shown again, still bound to the device.
        fixture.clock.advance(by: .seconds(600))
        try await exhaust(fixture)
        let again = try await browser.submit(shown, username: "amara@contoso.test", password: "wrong")
        #expect(again.shownError == 50126)
        #expect(
            try await browser.submit(again, username: "amara@contoso.test", password: TestPlatform.password).alert
                == nil)
        fixture.clock.advance(by: .seconds(301))
        try await exhaust(fixture)
        let late = try await browser.submit(again, username: "bo@contoso.test", password: TestPlatform.password)
        #expect(late.shownError == 50053)
    }

    @Test func `an administrator can remove a lock of any origin, and so does a new password`() async throws {
        let fixture = try await TestPlatform().from(Self.ward)
        let testDevice = try await TestDevice.joined(fixture)
        let path = AuthorizeQuery(fixture).path
        #expect(try await attempt(Browser(fixture), path) == nil)
        func attempts(_ password: String) async throws -> [Int?] {
            [
                try await attempt(Browser(fixture), path, "amara@contoso.test", password),
                try await attempt(
                    Browser(fixture.from("192.0.2.1")), path, "amara@contoso.test", password),
                try await attempt(
                    Browser(fixture), try await page(on: testDevice, fixture), "amara@contoso.test", password),
            ]
        }
        for isNewPassword in [false, true] {
            for _ in 1...10 { #expect(try await attempts("wrong") == [50126, 50126, 50126]) }
            #expect(try await attempts(TestPlatform.password) == [50053, 50053, 50053])
            if isNewPassword {
                try await fixture.administration.users.setPassword(Sensitive("another password"), of: fixture.amara)
                #expect(try await attempts("another password") == [nil, nil, nil])
            } else {
                try await fixture.administration.users.unlock(fixture.amara)
                #expect(try await attempts(TestPlatform.password) == [nil, nil, nil])
            }
        }
        let lines = try await fixture.platform.database.read { try AuditLog($0).latest(99, tenant: fixture.tenant.id) }
        #expect(lines.filter { $0.action == "user.unlock" }.map(\.subject) == [fixture.amara.id.rawValue])
    }

    @Test func `guesses in a browser whose session is bound to a shared device count for the device`() async throws {
        let fixture = try await TestPlatform().from(Self.ward)
        let testDevice = try await TestDevice.joined(fixture)
        let browser = Browser(fixture)
        let refresh = try await fixture.brokerTokens(browser: browser).string(ReplyName.refreshToken)
        #expect(try await testDevice.issue(refresh).status == .ok)
        browser.remove("__Host-baton-device")
        try await exhaust(fixture)
        #expect(try await attempt(browser, AuthorizeQuery(fixture, ["prompt": "login"]).path) == nil)
        // A shared device's browser keeps only the session cookie.
        #expect(browser.cookies["__Host-baton-device"] == nil)
    }
}
