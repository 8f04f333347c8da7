// SPDX-License-Identifier: Apache-2.0
import Crypto
import HTTPTypes
import IdentityPlatform
import OAuth
import Receipts
import Redaction
import Storage
import TestSupport
import Testing

@Suite struct HousekeepingTests {
    private func count(_ table: String, _ fixture: TestPlatform) async throws -> Int64? {
        try await fixture.platform.database.read {
            try $0.row(SQL(stringLiteral: "SELECT COUNT(*) AS count FROM \(table)"))?["count"]
        }
    }

    private static let tables = [
        "authorizationCode", "refreshToken", "primaryRefreshToken", "browserSession", "session", "signInThrottle",
    ]

    @Test func `expired rows are deleted in small steps, and valid ones are kept`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        let ended = try await testDevice.session()
        _ = try await ended.end()
        let session = try await testDevice.session(counter: 2)
        let app = try await session.tokens(scopes: ["openid", "offline_access", "User.Read"])
        let browser = Browser(fixture)
        _ = try await browser.signIn(AuthorizeQuery(fixture))
        _ = try await browser.submit(
            try await browser.get(AuthorizeQuery(fixture, ["prompt": "login"]).path), username: "x@contoso.test",
            password: "wrong")
        for table in Self.tables { #expect(try await count(table, fixture) ?? 0 > 0, "\(table)") }

        let housekeeping = Housekeeping(fixture.platform)
        #expect(try await housekeeping.sweep() == 0)
        fixture.clock.advance(by: .seconds(2 * 86_400 + 400))
        while try await housekeeping.sweep(step: 1) > 0 {}
        #expect(try await count("authorizationCode", fixture) == 0)
        #expect(try await session.use().status == .ok)
        #expect(try await fixture.refresh(try app.string(ReplyName.refreshToken)).status == .ok)

        fixture.clock.advance(by: .seconds(40 * 86_400))
        while try await housekeeping.sweep(step: 1) > 0 {}
        for table in Self.tables { #expect(try await count(table, fixture) == 0, "\(table)") }
        #expect(try await browser.signIn(AuthorizeQuery(fixture))[ParameterName.code] != nil)
    }

    @Test func `audit entries are deleted when their retention ends, and the order continues`() async throws {
        let fixture = try await TestPlatform { $0.retention.audit = .seconds(86_400) }
        let before = try #require(try await count("audit", fixture))
        #expect(before == 4)
        let housekeeping = Housekeeping(fixture.platform)
        fixture.clock.advance(by: .seconds(86_399))
        _ = try await housekeeping.sweep()
        #expect(try await count("audit", fixture) == before)
        fixture.clock.advance(by: .seconds(1))
        while try await housekeeping.sweep(step: 1) > 0 {}
        #expect(try await count("audit", fixture) == 0)
        try await fixture.administration.users.setEnabled(false, fixture.bo)
        try await fixture.administration.users.setEnabled(true, fixture.bo)
        let lines = try await fixture.platform.database.read { try AuditLog($0).latest(9, tenant: fixture.tenant.id) }
        #expect(lines.map(\.action) == ["user.disable", "user.enable"])
    }

    @Test func `an ended session is kept for its period, and a live one for longer`() async throws {
        let fixture = try await TestPlatform { $0.retention.sessions = .seconds(30 * 86_400) }
        let testDevice = try await TestDevice.joined(fixture)
        _ = try await testDevice.session().end()
        let live = try await testDevice.session(counter: 2)
        let housekeeping = Housekeeping(fixture.platform)
        func sessions() async throws -> Int64? {
            while try await housekeeping.sweep(step: 1) > 0 {}
            return try await count("session", fixture)
        }
        let all = try await count("session", fixture)
        fixture.clock.advance(by: .seconds(13 * 86_400))
        let renewed = try await live.renewed().session
        fixture.clock.advance(by: .seconds(13 * 86_400))
        let again = try await renewed.renewed().session
        #expect(try await sessions() == all)
        fixture.clock.advance(by: .seconds(5 * 86_400))
        let left = try #require(try await sessions())
        #expect(left > 0 && left < (all ?? 0))
        #expect(try await again.status() == .live)
        // A session that began long ago is kept for the retention period after its end, although it has no credentials
        // left.
        _ = try await again.end()
        fixture.clock.advance(by: .seconds(29 * 86_400))
        #expect(try await sessions() == left)
        fixture.clock.advance(by: .seconds(2 * 86_400))
        #expect(try await sessions() == left - 1)
    }

    @Test func `a session is kept as long as one of its credentials, and for its period from its beginning`()
        async throws
    {
        let fixture = try await TestPlatform { $0.retention.sessions = .seconds(10 * 86_400) }
        var token = try await fixture.signedIn().string(ReplyName.refreshToken)
        // Nobody redeems the code of this sign-in. The tokens of the other sign-in are valid for 14 days.
        _ = try await Browser(fixture).signIn(AuthorizeQuery(fixture))
        func sessions() async throws -> Int64? {
            while try await Housekeeping(fixture.platform).sweep(step: 1) > 0 {}
            return try await count("session", fixture)
        }
        for round in 1...4 {
            fixture.clock.advance(by: .seconds(3 * 86_400))
            let kept = try await sessions()
            #expect(kept == (round < 4 ? 2 : 1), "round \(round)")
            for table in ["authorizationCode", "browserSession"] { #expect(try await count(table, fixture) == 0) }
            let answer = try await fixture.refresh(token)
            #expect(answer.status == .ok, "round \(round)")
            token = try answer.json.string(ReplyName.refreshToken)
        }
        fixture.clock.advance(by: .seconds(200 * 86_400))
        #expect(try await sessions() == 0)
        #expect(try await count("refreshToken", fixture) == 0)
    }

    @Test func `old heads of a receipt chain are deleted, but never the newest one`() async throws {
        let fixture = try await TestPlatform { $0.retention.receipts = .seconds(10 * 86_400) }
        let testDevice = try await TestDevice.joined(fixture)
        let key = P256.Signing.PrivateKey()
        for number in 1...3 { _ = try await testDevice.anchored(key, number, "line \(number)") }
        let housekeeping = Housekeeping(fixture.platform)
        fixture.clock.advance(by: .seconds(9 * 86_400))
        while try await housekeeping.sweep(step: 1) > 0 {}
        #expect(try await count("receiptAnchor", fixture) == 3)
        fixture.clock.advance(by: .seconds(2 * 86_400))
        while try await housekeeping.sweep(step: 1) > 0 {}
        #expect(try await count("receiptAnchor", fixture) == 1)
        // The server still recognises a chain that was cut or forked.
        #expect(try await testDevice.anchored(key, 3, "line 3").anchor.sequence == 3)
        #expect(try await testDevice.anchor(key, 3, "another").errorNumber == 5_000_619)
        #expect(try await testDevice.anchor(key, 2, "line 2").errorNumber == 5_000_619)
    }

    @Test func `an ended session keeps no session key`() async throws {
        let fixture = try await TestPlatform()
        let session = try await TestDevice.joined(fixture).session()
        #expect(try await count("primaryRefreshToken", fixture) == 1)
        try await fixture.administration.users.setPassword(Sensitive("another password"), of: fixture.amara)
        #expect(try await count("primaryRefreshToken", fixture) == 0)
        #expect(try await session.use().errorNumber == 70000)
    }

    @Test(arguments: ["nonce", "scope"])
    func `the data stored for a code expires`(name: String) async throws {
        let fixture = try await TestPlatform()
        let long = String(repeating: "x", count: 5000)
        let answer = try await fixture.client.get(AuthorizeQuery(fixture, [name: long]).path)
        #expect(try answer.returned()[ParameterName.errorDescription]?.hasPrefix("AADSTS90098:") == true)
    }
}
