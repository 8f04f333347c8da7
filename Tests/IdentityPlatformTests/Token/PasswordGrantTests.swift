// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import IdentityPlatform
import OAuth
import Redaction
import Storage
import TestSupport
import Testing

/// The password grant follows the rules of the sign-in page, and is refused unless the operator allows it.
@Suite struct PasswordGrantTests {
    private func fixture() async throws -> TestPlatform {
        try await TestPlatform { $0.compatibility.passwordGrant = true }
    }

    private func grant(
        _ fixture: TestPlatform, _ name: String = "amara@contoso.test", _ password: String? = TestPlatform.password,
        _ changes: [String: String?] = [:], tenant: String? = nil
    ) async throws -> TestResponse {
        var fields: [String: String?] = [
            "grant_type": "password", "client_id": fixture.app.id.rawValue, "username": name, "password": password,
            "scope": "openid offline_access User.Read",
        ]
        for (name, value) in changes { fields[name] = value }
        return try await fixture.token(fields, tenant: tenant)
    }

    @Test func `the grant is refused unless the operator allows older clients`() async throws {
        let fixture = try await TestPlatform()
        #expect(try await grant(fixture).errorNumber == 70003)
        #expect(
            try await !fixture.client.get("/common/v2.0/.well-known/openid-configuration").text.contains("\"password\"")
        )
    }

    @Test func `a name and a password yield tokens and a session`() async throws {
        let fixture = try await fixture()
        for tenant in [fixture.tenant.id.rawValue, "common"] {
            let tokens = try await grant(fixture, tenant: tenant).json
            #expect(try await fixture.me(try tokens.string(ReplyName.accessToken)).status == .ok)
            #expect(try await fixture.refresh(try tokens.string(ReplyName.refreshToken)).status == .ok)
            let claims = try CompactJWS(try tokens.string(ReplyName.idToken)).claims()
            #expect(try claims.strings(ClaimName.authenticationMethods) == ["pwd"])
        }
        let lines = try await fixture.platform.database.read { try AuditLog($0).latest(9, tenant: fixture.tenant.id) }
        #expect(lines.filter { $0.action == "sign-in" && $0.outcome == "done" }.count == 2)
    }

    @Test func `a wrong password, an unknown name and a disabled account get the same answer`() async throws {
        let fixture = try await fixture()
        try await fixture.administration.users.setEnabled(false, fixture.bo)
        let answers = [
            try await grant(fixture, "amara@contoso.test", "wrong"), try await grant(fixture, "nobody@contoso.test"),
            try await grant(fixture, "bo@contoso.test"),
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

    @Test func `guesses with the grant are counted together with those on the sign-in page`() async throws {
        let fixture = try await fixture()
        for _ in 0..<5 { _ = try await grant(fixture, "amara@contoso.test", "wrong") }
        let browser = Browser(fixture)
        let page = try await browser.get(AuthorizeQuery(fixture).path)
        for _ in 0..<5 { _ = try await browser.submit(page, username: "amara@contoso.test", password: "wrong") }
        #expect(try await grant(fixture).errorNumber == 50053)
    }

    @Test(
        arguments: [
            (["client_id": nil], 900144), (["username": nil], 900144), (["password": nil], 900144),
            (["client_id": "11111111-1111-1111-1111-111111111111"], 700016), (["scope": "Mail.Read"], 70011),
            (["client_secret": "x"], 700025),
        ] as [([String: String?], Int)])
    func `a malformed request does not count as a guess`(changes: [String: String?], number: Int) async throws {
        let fixture = try await fixture()
        for _ in 0..<11 {
            #expect(
                try await grant(fixture, "amara@contoso.test", TestPlatform.password, changes).errorNumber == number)
        }
        #expect(try await grant(fixture).status == .ok)
    }
}

extension HTTPField.Name {
    static let retryAfter = HTTPField.Name("Retry-After") ?? .accept
}
