// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import IdentityPlatform
import OAuth
import Storage
import TestSupport
import Testing

/// Tests token revocation by a client (RFC 7009).
@Suite struct RevocationTests {
    private func revoke(_ fixture: TestPlatform, _ token: String, _ changes: [String: String?] = [:]) async throws
        -> TestResponse
    {
        var fields: [String: String?] = ["client_id": fixture.app.id.rawValue, "token": token]
        for (name, value) in changes { fields[name] = value }
        let body = fields.compactMap { name, value in value.map { "\(name)=\(percentEncoded($0))" } }
        return try await fixture.client.send(
            .post, "/\(fixture.tenant.id)/oauth2/v2.0/revoke", body: body.joined(separator: "&"))
    }

    @Test func `a revoked refresh token and all tokens derived from it are invalid`() async throws {
        let fixture = try await TestPlatform()
        let first = try await fixture.signedIn().string(ReplyName.refreshToken)
        let second = try await fixture.refresh(first).json.string(ReplyName.refreshToken)
        #expect(try await revoke(fixture, second, ["token_type_hint": "refresh_token"]).status == .ok)
        for token in [first, second] { #expect(try await fixture.refresh(token).errorNumber == 70000) }
        #expect(try await revoke(fixture, second).status == .ok)
        let lines = try await fixture.platform.database.read { try AuditLog($0).latest(20, tenant: fixture.tenant.id) }
        #expect(lines.filter { $0.action == "refresh-token.revoke" }.count == 1)
        #expect(lines.filter { $0.action == "refresh-token.replay" }.isEmpty)
    }

    @Test func `a primary refresh token is revoked with the session that it was issued for`() async throws {
        let fixture = try await TestPlatform()
        let session = try await TestDevice.joined(fixture).session()
        let answer = try await revoke(
            fixture, session.brokerRefreshToken, ["client_id": WellKnownApplication.broker])
        #expect(answer.status == .ok)
        #expect(try await session.use().errorNumber == 70000)
    }

    @Test func `a client cannot revoke another client's token`() async throws {
        let fixture = try await TestPlatform()
        let token = try await fixture.signedIn().string(ReplyName.refreshToken)
        #expect(try await revoke(fixture, token, ["client_id": WellKnownApplication.broker]).errorNumber == 70000)
        #expect(try await revoke(fixture, token, ["client_id": nil]).errorNumber == 900144)
        #expect(try await revoke(fixture, token, ["client_secret": "x"]).errorNumber == 700025)
        #expect(try await fixture.refresh(token).status == .ok)
    }

    @Test func `revoking an unknown token succeeds, and revoking an access token is refused`() async throws {
        let fixture = try await TestPlatform()
        #expect(try await revoke(fixture, "nobody's").status == .ok)
        #expect(try await revoke(fixture, "a.b.c").status == .ok)
        let access = try await fixture.signedIn().string(ReplyName.accessToken)
        let answer = try await revoke(fixture, access)
        #expect(try answer.json.string(ReplyName.error) == "unsupported_token_type")
        #expect(try await revoke(fixture, "", [:]).errorNumber == 900144)
    }
}
