// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import IdentityPlatform
import OAuth
import Storage
import TestSupport
import Testing

/// A client gives a token back (RFC 7009).
@Suite struct RevocationTests {
    private func revoke(_ world: World, _ token: String, _ changes: [String: String?] = [:]) async throws
        -> TestResponse
    {
        var fields: [String: String?] = ["client_id": world.app.id.rawValue, "token": token]
        for (name, value) in changes { fields[name] = value }
        let body = fields.compactMap { name, value in value.map { "\(name)=\(percentEncoded($0))" } }
        return try await world.client.send(
            .post, "/\(world.tenant.id)/oauth2/v2.0/revoke", body: body.joined(separator: "&"))
    }

    @Test func `a revoked refresh token and those that came of it are worth nothing`() async throws {
        let world = try await World()
        let first = try await world.signedIn().string(ReplyName.refreshToken)
        let second = try await world.refresh(first).json.string(ReplyName.refreshToken)
        #expect(try await revoke(world, second, ["token_type_hint": "refresh_token"]).status == .ok)
        for token in [first, second] { #expect(try await world.refresh(token).errorNumber == 70000) }
        #expect(try await revoke(world, second).status == .ok)
        let lines = try await world.platform.database.read { try AuditLog($0).latest(20, tenant: world.tenant.id) }
        #expect(lines.filter { $0.action == "refresh-token.revoke" }.count == 1)
        #expect(lines.filter { $0.action == "refresh-token.replay" }.isEmpty)
    }

    @Test func `what a primary refresh token was issued for takes it along`() async throws {
        let world = try await World()
        let session = try await Till.joined(world).session()
        let answer = try await revoke(
            world, session.brokerRefreshToken, ["client_id": WellKnownApplication.broker])
        #expect(answer.status == .ok)
        #expect(try await session.use().errorNumber == 70000)
    }

    @Test func `nobody revokes what is another client's`() async throws {
        let world = try await World()
        let token = try await world.signedIn().string(ReplyName.refreshToken)
        #expect(try await revoke(world, token, ["client_id": WellKnownApplication.broker]).errorNumber == 70000)
        #expect(try await revoke(world, token, ["client_id": nil]).errorNumber == 900144)
        #expect(try await revoke(world, token, ["client_secret": "x"]).errorNumber == 700025)
        #expect(try await world.refresh(token).status == .ok)
    }

    @Test func `an unknown token is as good as revoked, an access token is not`() async throws {
        let world = try await World()
        #expect(try await revoke(world, "nobody's").status == .ok)
        #expect(try await revoke(world, "a.b.c").status == .ok)
        let access = try await world.signedIn().string(ReplyName.accessToken)
        let answer = try await revoke(world, access)
        #expect(try answer.json.string(ReplyName.error) == "unsupported_token_type")
        #expect(try await revoke(world, "", [:]).errorNumber == 900144)
    }
}
