// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import IdentityPlatform
import OAuth
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
        let fixture = try await TestPlatform { $0.auditRetention = .seconds(86_400) }
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
