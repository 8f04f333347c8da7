// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import IdentityPlatform
import OAuth
import Redaction
import Storage
import TestSupport
import Testing

@Suite struct HousekeepingTests {
    private func count(_ table: String, _ world: World) async throws -> Int64? {
        try await world.platform.database.read {
            try $0.row(SQL(stringLiteral: "SELECT COUNT(*) FROM \(table)"))?.integer(0)
        }
    }

    private static let tables = [
        "authorizationCode", "refreshToken", "primaryRefreshToken", "browserSession", "session", "signInThrottle",
    ]

    @Test func `what is over is cleared away in small steps, and nothing that is still good`() async throws {
        let world = try await World()
        let till = try await Till.joined(world)
        let ended = try await till.session()
        _ = try await ended.end()
        let session = try await till.session(counter: 2)
        let app = try await session.tokens(scopes: ["openid", "offline_access", "User.Read"])
        let browser = Browser(world)
        _ = try await browser.signIn(AuthorizeQuery(world))
        _ = try await browser.submit(
            try await browser.get(AuthorizeQuery(world, ["prompt": "login"]).path), username: "x@contoso.test",
            password: "wrong")
        for table in Self.tables { #expect(try await count(table, world) ?? 0 > 0, "\(table)") }

        let housekeeping = Housekeeping(world.platform)
        #expect(try await housekeeping.sweep() == 0)
        world.clock.advance(by: .seconds(2 * 86_400 + 400))
        while try await housekeeping.sweep(step: 1) > 0 {}
        #expect(try await count("authorizationCode", world) == 0)
        #expect(try await session.use().status == .ok)
        #expect(try await world.refresh(try app.string(ReplyName.refreshToken)).status == .ok)

        world.clock.advance(by: .seconds(40 * 86_400))
        while try await housekeeping.sweep(step: 1) > 0 {}
        for table in Self.tables { #expect(try await count(table, world) == 0, "\(table)") }
        #expect(try await browser.signIn(AuthorizeQuery(world))[ParameterName.code] != nil)
    }

    @Test func `lines of the audit log go when their time is over, and positions go on`() async throws {
        let world = try await World { $0.auditRetention = .seconds(86_400) }
        let before = try #require(try await count("audit", world))
        #expect(before == 4)
        let housekeeping = Housekeeping(world.platform)
        world.clock.advance(by: .seconds(86_399))
        _ = try await housekeeping.sweep()
        #expect(try await count("audit", world) == before)
        world.clock.advance(by: .seconds(1))
        while try await housekeeping.sweep(step: 1) > 0 {}
        #expect(try await count("audit", world) == 1)
        try await world.administration.setEnabled(false, world.bo)
        let lines = try await world.platform.database.read { try AuditLog($0).latest(9, tenant: world.tenant.id) }
        #expect(lines.map(\.position) == [before, before + 1])
    }

    @Test func `an ended session keeps no session key`() async throws {
        let world = try await World()
        let session = try await Till.joined(world).session()
        #expect(try await count("primaryRefreshToken", world) == 1)
        try await world.administration.setPassword(Sensitive("another password"), of: world.amara)
        #expect(try await count("primaryRefreshToken", world) == 0)
        #expect(try await session.use().errorNumber == 70000)
    }

    @Test(arguments: ["nonce", "scope"])
    func `what is kept for a code has an end`(name: String) async throws {
        let world = try await World()
        let long = String(repeating: "x", count: 5000)
        let answer = try await world.client.get(AuthorizeQuery(world, [name: long]).path)
        #expect(try answer.returned()[ParameterName.errorDescription]?.hasPrefix("AADSTS90098:") == true)
    }
}
