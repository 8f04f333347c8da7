// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import IdentityPlatform
import OAuth
import Storage
import TestSupport
import Testing

/// A refresh token is valid once. A second use revokes everything derived from it (RFC 9700 section 4.14.2).
@Suite struct RefreshTokenRotationTests {
    private func next(_ fixture: TestPlatform, _ token: String, client: String? = nil) async throws -> String {
        let answer = try await fixture.refresh(token, client.map { ["client_id": $0] } ?? [:])
        #expect(answer.status == .ok, "\(answer.text)")
        return try answer.json.string(ReplyName.refreshToken)
    }

    private func replays(_ fixture: TestPlatform) async throws -> [AuditEntry] {
        try await fixture.platform.database.read { try AuditLog($0).latest(100, tenant: fixture.tenant.id) }
            .filter { $0.action == "refresh-token.replay" }
    }

    @Test func `each use yields a new token, and the use of an old token ends them all`() async throws {
        let fixture = try await TestPlatform()
        let first = try await fixture.signedIn().string(ReplyName.refreshToken)
        let second = try await next(fixture, first)
        let third = try await next(fixture, second)
        #expect(Set([first, second, third]).count == 3)
        let reuse = try await fixture.refresh(first)
        #expect(reuse.errorNumber == 70000)
        #expect(reuse.suberror == Suberror.badToken)
        #expect(try await fixture.refresh(third).errorNumber == 70000)
        let lines = try await replays(fixture)
        #expect(lines.map(\.actor) == [fixture.app.id.rawValue])
        #expect(lines.map(\.outcome) == ["refused"])
        // Only the first replay is logged.
        #expect(try await fixture.refresh(second).errorNumber == 70000)
        #expect(try await replays(fixture).count == 1)
    }

    @Test func `a client that lost the reply gets the same reply again within ten seconds`() async throws {
        let fixture = try await TestPlatform()
        let first = try await fixture.signedIn().string(ReplyName.refreshToken)
        let second = try await next(fixture, first)
        fixture.clock.advance(by: .seconds(9))
        #expect(try await next(fixture, first) == second)
        #expect(try await next(fixture.restarted(), first) == second)
        #expect(try await fixture.refresh(first, ["client_id": CommandLineApp.clientID]).errorNumber == 70000)
        let third = try await next(fixture, second)
        #expect(try await fixture.refresh(first).errorNumber == 70000)
        #expect(try await fixture.refresh(third).errorNumber == 70000)
        #expect(try await replays(fixture).count == 1)
    }

    @Test func `after ten seconds a second use is a replay`() async throws {
        let fixture = try await TestPlatform()
        let first = try await fixture.signedIn().string(ReplyName.refreshToken)
        let second = try await next(fixture, first)
        fixture.clock.advance(by: .seconds(10))
        #expect(try await fixture.refresh(first).errorNumber == 70000)
        #expect(try await fixture.refresh(second).errorNumber == 70000)
    }

    @Test func `many simultaneous uses yield one next token`() async throws {
        let fixture = try await TestPlatform()
        let first = try await fixture.signedIn().string(ReplyName.refreshToken)
        let answers = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<40 { group.addTask { try await next(fixture, first) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count == 40)
        #expect(Set(answers).count == 1)
        let unused = try await fixture.platform.database.read {
            try $0.count(of: RefreshToken.self, "WHERE used IS NULL")
        }
        #expect(unused == 1)
    }

    @Test func `a refused request does not use up the token`() async throws {
        let fixture = try await TestPlatform()
        let first = try await fixture.signedIn().string(ReplyName.refreshToken)
        #expect(try await fixture.refresh(first, ["scope": "Mail.Read"]).errorNumber == 70011)
        #expect(try await fixture.refresh(first, ["client_secret": "x"]).errorNumber == 700025)
        fixture.clock.advance(by: .seconds(60))
        _ = try await next(fixture, first)
    }

    @Test func `use as a proof for a primary refresh token counts as a use`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        let session = try await testDevice.session(counter: 1)
        let broker = session.brokerRefreshToken
        // The device may repeat the request if the reply was lost.
        #expect(try await testDevice.issue(broker, counter: 1).status == .ok)
        let again = try await testDevice.session(counter: 2)
        #expect(try await again.use().status == .ok)
        fixture.clock.advance(by: .seconds(10))
        #expect(try await testDevice.issue(again.brokerRefreshToken, counter: 2).errorNumber == 70000)
        #expect(try await again.use().errorNumber == 70000)
        #expect(try await replays(fixture).count == 1)
    }

    @Test func `a redeemed refresh token is no proof of identity, and one used as proof yields no tokens`()
        async throws
    {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        let used = try await fixture.brokerTokens().string(ReplyName.refreshToken)
        _ = try await next(fixture, used, client: WellKnownApplication.broker)
        #expect(try await testDevice.issue(used).errorNumber == 70000)
        let session = try await testDevice.session(counter: 2)
        let answer = try await fixture.refresh(session.brokerRefreshToken, ["client_id": WellKnownApplication.broker])
        #expect(answer.errorNumber == 70000)
        #expect(try await session.use().errorNumber == 70000)
    }

    @Test func `an app that replays an old token loses its tokens, but may get others by its PRT`() async throws {
        let fixture = try await TestPlatform()
        let session = try await TestDevice.joined(fixture).session()
        let scopes = ["openid", "offline_access", "User.Read"]
        let first = try await session.tokens(scopes: scopes).string(ReplyName.refreshToken)
        #expect(try await session.tokens(scopes: scopes).string(ReplyName.refreshToken) == first)
        let second = try await next(fixture, first)
        #expect(try await session.tokens(scopes: scopes).string(ReplyName.refreshToken) == second)
        _ = try await next(fixture, second)
        #expect(try await fixture.refresh(first).errorNumber == 70000)
        let fresh = try await session.tokens(scopes: scopes).string(ReplyName.refreshToken)
        #expect(![first, second].contains(fresh))
        #expect(try await fixture.refresh(second).errorNumber == 70000)
        _ = try await next(fixture, fresh)
    }
}
