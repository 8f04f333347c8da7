// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import HTTPTypes
import IdentityPlatform
import OAuth
import Storage
import TestSupport
import Testing

/// What is left of a sign-in to the administration after its refresh token was revoked, as `baton admin sign-out` does.
@Suite struct AdminInterfaceSignOutTests {
    private static let users = IdentityAdmin.listUsers.operation

    /// The tokens of one sign-in.
    private struct SignIn {
        let access: String
        let refresh: String
    }

    private func signIn(
        _ fixture: TestAdministration, _ changes: [String: String] = [:]
    ) async throws -> SignIn {
        let form = [
            "grant_type": "password", "client_id": AdministrationApp.clientID,
            "scope": "\(TestAdministration.resource)/.default offline_access",
            "username": fixture.admin.userPrincipalName, "password": TestAdministration.password,
        ].merging(changes) { $1 }
        let answer = try await fixture.tokenAnswer(fixture.tenant.id, form)
        #expect(answer.status == .ok, "\(answer.text)")
        let members = try Members(decoding: answer.body)
        return SignIn(
            access: try members.string(ReplyName.accessToken), refresh: try members.string(ReplyName.refreshToken))
    }

    private func session(_ signIn: SignIn) throws -> SessionID {
        try #require(SessionID(rawValue: try CompactJWS(signIn.access).claims().string(ClaimName.sessionID)))
    }

    /// The ids of the sessions that have not ended.
    private func sessions(_ fixture: TestAdministration) async throws -> [String] {
        let sessions: [IdentityAdmin.Session] = try await fixture.operate(
            IdentityAdmin.listSessions.operation
        ).decoded()
        return sessions.map(\.id)
    }

    @Test func `a sign-out ends the session, so that a copy of the access token is refused`() async throws {
        let fixture = try await TestAdministration()
        let (first, other) = (try await signIn(fixture), try await signIn(fixture))
        #expect(try await fixture.call(Self.users, token: first.access).status == .ok)
        let answer = try await fixture.revoke(first.refresh, client: AdministrationApp.clientID)
        #expect(answer.status == .ok, "\(answer.text)")
        for operation in [Self.users, IdentityAdmin.rotateSigningKeys.operation] {
            let refused = try await fixture.call(operation, token: first.access)
            #expect(refused.refusal == "admin.token", "\(operation.id): \(refused.status) \(refused.text)")
        }
        #expect(try await !sessions(fixture).contains(session(first).rawValue))
        // Another sign-in of the same person goes on.
        #expect(try await fixture.call(Self.users, token: other.access).status == .ok)
        #expect(try await sessions(fixture).contains(session(other).rawValue))
        let entries: [IdentityAdmin.AuditEntry] = try await fixture.operate(
            IdentityAdmin.listAuditEntries.operation
        ).decoded()
        let ends = entries.filter { $0.action == "session.end" }
        let ended = try session(first).rawValue
        #expect(ends.map(\.outcome) == ["signed-out"] && ends.map(\.subject) == [ended])
        // A repeated sign-out is not an error, and writes nothing.
        #expect(try await fixture.revoke(first.refresh, client: AdministrationApp.clientID).status == .ok)
    }

    @Test func `a refresh token that was used already ends the session as well`() async throws {
        let fixture = try await TestAdministration()
        let first = try await signIn(fixture)
        let second = try await signIn(fixture, ["grant_type": "refresh_token", "refresh_token": first.refresh])
        #expect(try await fixture.revoke(first.refresh, client: AdministrationApp.clientID).status == .ok)
        for token in [first.access, second.access] {
            #expect(try await fixture.call(Self.users, token: token).refusal == "admin.token")
        }
    }

    @Test
    func
        `a session that another app or a second sign-in shares does not end, and a client of other resources ends none`()
        async throws
    {
        let fixture = try await TestAdministration()
        let first = try await signIn(fixture)
        let notes = try await fixture.acts.clients.add(
            NewClient(displayName: "Notes", redirectURIs: ["https://notes.test/cb"]), tenant: fixture.tenant)
        // In a browser, several apps can sign in by one session, and one app twice.
        for (client, family) in [(notes.id.rawValue, "family of notes"), (AdministrationApp.clientID, "second family")]
        {
            let shared = try await signIn(fixture)
            let id = try session(shared)
            try await fixture.platform.database.write { connection in
                let record = RefreshToken(
                    tenant: fixture.tenant.id, session: id, client: try #require(ClientID(rawValue: client)),
                    scope: "openid", family: TokenFamilyID(rawValue: family), ofPrimary: false,
                    expires: fixture.clock.now + .seconds(3600))
                try RefreshTokens(connection).add(
                    OpaqueToken(tenant: fixture.tenant.id, environment: .system),
                    record, at: fixture.clock.now)
            }
            #expect(try await fixture.revoke(shared.refresh, client: AdministrationApp.clientID).status == .ok)
            #expect(try await sessions(fixture).contains(id.rawValue), "\(family)")
        }
        let ordinary = try await signIn(
            fixture, ["client_id": notes.id.rawValue, "scope": "openid offline_access User.Read"])
        #expect(try await fixture.revoke(ordinary.refresh, client: notes.id.rawValue).status == .ok)
        #expect(try await sessions(fixture).contains(session(ordinary).rawValue))
        #expect(try await fixture.call(Self.users, token: first.access).status == .ok)
    }
}
