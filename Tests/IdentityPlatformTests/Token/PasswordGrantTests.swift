// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import IdentityPlatform
import OAuth
import Redaction
import Storage
import TestSupport
import Testing

/// The password grant is the sign-in page without a page, and only where the operator opens it.
@Suite struct PasswordGrantTests {
    private func world() async throws -> World { try await World { $0.compatibility.passwordGrant = true } }

    private func grant(
        _ world: World, _ name: String = "amara@contoso.test", _ password: String? = World.password,
        _ changes: [String: String?] = [:], tenant: String? = nil
    ) async throws -> TestResponse {
        var fields: [String: String?] = [
            "grant_type": "password", "client_id": world.app.id.rawValue, "username": name, "password": password,
            "scope": "openid offline_access User.Read",
        ]
        for (name, value) in changes { fields[name] = value }
        return try await world.token(fields, tenant: tenant)
    }

    @Test func `it is refused unless the operator lets older clients in`() async throws {
        let world = try await World()
        #expect(try await grant(world).errorNumber == 70003)
        #expect(
            try await !world.client.get("/common/v2.0/.well-known/openid-configuration").text.contains("\"password\""))
    }

    @Test func `a name and a password give tokens and a session`() async throws {
        let world = try await world()
        for tenant in [world.tenant.id.rawValue, "common"] {
            let tokens = try await grant(world, tenant: tenant).json
            #expect(try await world.me(try tokens.string(ReplyName.accessToken)).status == .ok)
            #expect(try await world.refresh(try tokens.string(ReplyName.refreshToken)).status == .ok)
            let claims = try CompactJWS(try tokens.string(ReplyName.idToken)).claims()
            #expect(try claims.strings(ClaimName.authenticationMethods) == ["pwd"])
        }
        let lines = try await world.platform.database.read { try AuditLog($0).latest(9, tenant: world.tenant.id) }
        #expect(lines.filter { $0.action == "sign-in" && $0.outcome == "done" }.count == 2)
    }

    @Test func `of a wrong password, an unknown name and a disabled account it says the same`() async throws {
        let world = try await world()
        try await world.administration.setEnabled(false, world.bo)
        let answers = [
            try await grant(world, "amara@contoso.test", "wrong"), try await grant(world, "nobody@contoso.test"),
            try await grant(world, "bo@contoso.test"),
        ]
        for answer in answers {
            #expect(answer.status == .badRequest)
            #expect(answer.errorNumber == 50126)
            #expect(answer.headers[.retryAfter] == nil)
        }
        let texts = try answers.map { answer in
            try answer.json.string(ReplyName.errorDescription).split(separator: "\r\n").first
        }
        #expect(Set(texts).count == 1)
        #expect(Set(answers.map(\.body.count)).count == 1)
    }

    @Test func `guesses count together with those at the page`() async throws {
        let world = try await world()
        for _ in 0..<5 { _ = try await grant(world, "amara@contoso.test", "wrong") }
        let browser = Browser(world)
        let page = try await browser.get(AuthorizeQuery(world).path)
        for _ in 0..<5 { _ = try await browser.submit(page, username: "amara@contoso.test", password: "wrong") }
        #expect(try await grant(world).errorNumber == 50053)
    }

    @Test(
        arguments: [
            (["client_id": nil], 900144), (["username": nil], 900144), (["password": nil], 900144),
            (["client_id": "11111111-1111-1111-1111-111111111111"], 700016), (["scope": "Mail.Read"], 70011),
            (["client_secret": "x"], 700025),
        ] as [([String: String?], Int)])
    func `a bad request costs no guess`(changes: [String: String?], number: Int) async throws {
        let world = try await world()
        for _ in 0..<11 {
            #expect(try await grant(world, "amara@contoso.test", World.password, changes).errorNumber == number)
        }
        #expect(try await grant(world).status == .ok)
    }
}

extension HTTPField.Name {
    static let retryAfter = HTTPField.Name("Retry-After") ?? .accept
}
