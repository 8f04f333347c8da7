// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import AdminServer
import HTTPTypes
import IdentityPlatform
import JSON
import OAuth
import Storage
import StorageTestSupport
import TestSupport
import Testing

/// Break-glass access: a directory role for a short time, in an emergency.
@Suite struct BreakGlassTests {
    private static let reason = "All administrators are locked out."
    private static let `operator` = "uid=0 login=1000 host=node"

    private func audit(_ fixture: TestPlatform) async throws -> [AuditEntry] {
        try await fixture.platform.database.read { connection in
            try AuditLog(connection).latest(1000, tenant: fixture.tenant.id).filter {
                $0.action.hasPrefix("break-glass.")
            }
        }
    }

    @Test func `the access begins at once, is recorded at each use, and ends at its time without any other work`()
        async throws
    {
        let fixture = try await TestPlatform()
        let caller = try await GraphCaller(fixture)
        #expect(try await caller.get("/users").status == .forbidden)
        let grant = try await fixture.administration.breakGlass.grant(
            .globalAdministrator, to: fixture.bo, minutes: 30, reason: Self.reason, by: Self.operator)
        for _ in 0..<2 { #expect(try await caller.get("/users").status == .ok) }
        let path = "/users/\(fixture.amara.id)"
        #expect(try await caller.send(.patch, path, body: #"{"jobTitle":"Porter"}"#).status == .noContent)
        fixture.clock.advance(by: .seconds(30 * 60 - 1))
        #expect(try await caller.get("/users").status == .ok)
        fixture.clock.advance(by: .seconds(1))
        #expect(try await caller.get("/users").status == .forbidden)
        #expect(try await caller.send(.patch, path, body: #"{"jobTitle":"X"}"#).status == .forbidden)
        #expect(try await fixture.platform.endOfBreakGlass(for: .everyTenant) == nil)

        let housekeeping = Housekeeping(fixture.platform)
        while try await housekeeping.sweep() > 0 {}
        let entries = try await audit(fixture)
        #expect(
            entries.map(\.action) == [
                "break-glass.grant", "break-glass.use", "break-glass.use", "break-glass.use", "break-glass.end",
            ], "\(entries)")
        #expect(entries[0].subject == "\(grant.id) \(fixture.bo.id)" && entries[0].actor == "operator")
        let detail = try #require(entries[0].detail)
        #expect(detail.contains("minutes=30 ") && detail.contains(" login=1000 ") && detail.contains(Self.reason))
        #expect(entries[1].actor == fixture.bo.id.rawValue && entries[1].subject == "\(grant.id) GET:/users")
        #expect(entries[1].repetitions == 2)
        #expect(entries[2].subject == "\(grant.id) PATCH:/users/{id}")
        #expect(entries[4].actor == "server" && entries[4].outcome == "expired")
    }

    @Test func `the access has only the powers of the granted role`() async throws {
        let fixture = try await TestPlatform()
        let caller = try await GraphCaller(fixture)
        _ = try await fixture.administration.breakGlass.grant(
            .cloudDeviceAdministrator, to: fixture.bo, reason: Self.reason, by: Self.operator)
        #expect(try await caller.get("/devices").status == .ok)
        let path = "/users/\(fixture.amara.id)"
        #expect(try await caller.send(.patch, path, body: #"{"jobTitle":"Porter"}"#).status == .forbidden)
        #expect(try await audit(fixture).count { $0.action == "break-glass.use" } == 1)
    }

    @Test(arguments: [DirectoryRole.globalAdministrator, .privilegedRoleAdministrator])
    func `a role that a person gives themselves with the access has no end, and stays when the access has ended`(
        granted: DirectoryRole
    ) async throws {
        let fixture = try await TestPlatform()
        let caller = try await GraphCaller(fixture)
        let address = "/directoryRoles/\(DirectoryRole.globalAdministrator.id)/members"
        let reference = #"{"@odata.id":"https://graph.test:8443/v1.0/users/\#(fixture.bo.id)"}"#
        #expect(try await caller.send(.post, address + "/$ref", body: reference).status == .forbidden)
        _ = try await fixture.administration.breakGlass.grant(
            granted, to: fixture.bo, minutes: 1, reason: Self.reason, by: Self.operator)
        #expect(try await caller.send(.post, address + "/$ref", body: reference).status == .noContent)
        fixture.clock.advance(by: .seconds(60))
        while try await Housekeeping(fixture.platform).sweep() > 0 {}
        // The warning and the alert stop when the access ends, even if nobody has removed the role.
        #expect(try await fixture.platform.endOfBreakGlass(for: .everyTenant) == nil)
        #expect(try await audit(fixture).last?.outcome == "expired")
        #expect(try await caller.values("id", address) == [fixture.bo.id.rawValue])
        let path = "/users/\(fixture.amara.id)"
        #expect(try await caller.send(.patch, path, body: #"{"jobTitle":"Porter"}"#).status == .noContent)
    }

    @Test func `a password that was set and a person who was created with the access stay when it has ended`()
        async throws
    {
        let fixture = try await TestPlatform()
        let caller = try await GraphCaller(fixture)
        _ = try await fixture.administration.breakGlass.grant(
            .globalAdministrator, to: fixture.bo, minutes: 1, reason: Self.reason, by: Self.operator)
        let password = #""passwordProfile":{"password":"long enough","forceChangePasswordNextSignIn":false}"#
        let amara = "/users/\(fixture.amara.id)"
        #expect(try await caller.send(.patch, amara, body: "{\(password)}").status == .noContent)
        let body = """
            {"accountEnabled":true,"displayName":"Cy","mailNickname":"cy","userPrincipalName":"cy@contoso.test",\(password)}
            """
        #expect(try await caller.send(.post, "/users", body: body).status == .created)
        fixture.clock.advance(by: .seconds(60))
        #expect(try await caller.send(.patch, amara, body: "{\(password)}").status == .forbidden)
        for name in ["amara@contoso.test", "cy@contoso.test"] {
            let answer = try await Browser(fixture).signIn(
                AuthorizeQuery(fixture), username: name, password: "long enough")
            #expect(answer[ParameterName.code] != nil, "\(name)")
        }
    }

    @Test func `an assigned role is used before break-glass access, so its use is not recorded`() async throws {
        let fixture = try await TestPlatform()
        let caller = try await GraphCaller(fixture, .userAdministrator)
        _ = try await fixture.administration.breakGlass.grant(
            .globalAdministrator, to: fixture.bo, reason: Self.reason, by: Self.operator)
        #expect(try await caller.get("/users").status == .ok)
        #expect(try await audit(fixture).map(\.action) == ["break-glass.grant"])
        #expect(try await caller.get("/directoryRoles").status == .ok)
        #expect(try await caller.get("/auditLogs/signIns").status == .ok)
        #expect(try await audit(fixture).map(\.action) == ["break-glass.grant", "break-glass.use"])
    }

    @Test func `a token contains no role of break-glass access, because it would outlive the access`() async throws {
        let fixture = try await TestPlatform()
        _ = try await fixture.administration.breakGlass.grant(
            .globalAdministrator, to: fixture.bo, reason: Self.reason, by: Self.operator)
        let token = try await fixture.signedIn("bo@contoso.test").string(ReplyName.accessToken)
        let roles = try CompactJWS(token).claims().values["wids"]?.array ?? []
        #expect(!roles.contains(.string(DirectoryRole.globalAdministrator.id.rawValue)))
    }

    @Test(arguments: SharedBackend.allCases)
    func `every node accepts the access at once, and refuses it at once after it was revoked`(
        backend: SharedBackend
    ) async throws {
        let (first, second) = try await backend.nodes()
        let caller = try await GraphCaller(second)
        #expect(try await caller.get("/devices").status == .forbidden)
        let grant = try await first.administration.breakGlass.grant(
            .cloudDeviceAdministrator, to: first.bo, reason: Self.reason, by: Self.operator)
        #expect(try await caller.get("/devices").status == .ok)
        #expect(try await caller.get("/directoryRoles").status == .ok)
        let token = try await second.registrationToken("bo@contoso.test")
        #expect(try await TestDevice(second).join(token).status == .ok)
        #expect(try await second.platform.measures().activeBreakGlass == 1)
        try await first.administration.breakGlass.revoke(grant.id, tenant: first.tenant.id)
        #expect(try await caller.get("/devices").status == .forbidden)
        #expect(try await TestDevice(second, number: 1).join(token).status != .ok)
        #expect(try await first.platform.endOfBreakGlass(for: .everyTenant) == nil)
        // The metric still shows that there was a grant.
        #expect(try await second.platform.measures().lastBreakGlass == grant.begun)
        let entries = try await audit(first)
        #expect(entries.contains { $0.action == "break-glass.use" && $0.subject == "\(grant.id) device.join" })
        #expect(entries.last?.action == "break-glass.end" && entries.last?.outcome == "revoked")
        // A second revocation does not record a second end.
        try await second.administration.breakGlass.revoke(grant.id, tenant: first.tenant.id)
        first.clock.advance(by: .seconds(3600))
        while try await Housekeeping(second.platform).sweep() > 0 {}
        #expect(try await audit(first).count { $0.action == "break-glass.end" } == 1)
    }

    /// The first write of a call records the use; the second one carries out the act.
    @Test(arguments: [1, 2]) func `access that ends before a write of a call does not count in it`(
        write: Int
    ) async throws {
        let interlude = InterleavedDatabase.Interlude()
        let first = try await TestPlatform(over: { SharedDatabase($0) })
        let second = try await first.restarted(over: { InterleavedDatabase($0, interlude) })
        let caller = try await GraphCaller(second)
        let grant = try await first.administration.breakGlass.grant(
            .globalAdministrator, to: first.bo, reason: Self.reason, by: Self.operator)
        let revoke: @Sendable () async throws -> Void = {
            try await first.administration.breakGlass.revoke(grant.id, tenant: first.tenant.id)
        }
        if write == 1 { interlude.set(revoke) } else { interlude.set { interlude.set(revoke) } }
        let answer = try await caller.send(.patch, "/users/\(first.amara.id)", body: #"{"jobTitle":"Never"}"#)
        #expect(answer.status == .forbidden, "\(answer.text)")
        let title = try await first.platform.database.read {
            try Users($0).find(first.amara.id, tenant: first.tenant.id)?.profile.jobTitle
        }
        #expect(title == "Nurse")
        #expect(try await audit(first).contains { $0.action == "break-glass.use" } == (write == 2))
    }

    @Test func `the socket grants, lists and revokes the access, and refuses what is too long or unexplained`()
        async throws
    {
        let log = LogLines()
        let fixture = try await TestPlatform()
        let admin = AdminClient(fixture, log: log)
        typealias New = IdentityAdmin.NewBreakGlassGrant
        let (name, reason) = ("bo@contoso.test", Self.reason)
        for (new, code) in [
            (New(user: name, reason: reason, minutes: 241), "identity.breakGlass.minutes"),
            (New(user: name, reason: reason, minutes: 0), "identity.breakGlass.minutes"),
            (New(user: name, reason: "short"), "identity.breakGlass.reason"),
            (New(user: name, reason: "two lines\nof text"), "identity.breakGlass.reason"),
            (New(user: name, reason: String(repeating: "x", count: 301)), "identity.breakGlass.reason"),
            (New(user: name, role: "Owner", reason: reason), "identity.role.missing"),
            (New(user: "nobody@contoso.test", reason: reason), "identity.user.missing"),
        ] { #expect(try await admin.refusal(IdentityAdmin.grantBreakGlass, body: new) == code) }
        try await fixture.administration.users.setEnabled(false, fixture.bo)
        let disabled = try await admin.refusal(IdentityAdmin.grantBreakGlass, body: New(user: name, reason: reason))
        #expect(disabled == "identity.breakGlass.disabled")
        try await fixture.administration.users.setEnabled(true, fixture.bo)

        let root = AdminClient(fixture, as: .localOperator(userID: 0))
        let grant: IdentityAdmin.BreakGlassGrant = try await root.call(
            IdentityAdmin.grantBreakGlass, body: New(user: name, reason: reason, login: 1000))
        #expect(grant.isActive && grant.role == "Global Administrator" && grant.reason == reason)
        #expect(grant.expiresAt - grant.begunAt == 3_600_000)
        #expect(grant.grantedBy.hasPrefix("uid=0 login=1000 host="))
        let second = try await admin.refusal(IdentityAdmin.grantBreakGlass, body: New(user: name, reason: reason))
        #expect(second == "identity.breakGlass.active")
        let listed: [IdentityAdmin.BreakGlassGrant] = try await admin.call(IdentityAdmin.listBreakGlassGrants)
        #expect(listed == [grant])
        // The person's assigned roles are listed elsewhere. This role is not among them.
        let user: IdentityAdmin.User = try await admin.call(IdentityAdmin.getUser, ["user": name])
        #expect(user.roles == [])
        #expect(try await admin.send(IdentityAdmin.revokeBreakGlass, ["grant": grant.id]).status == .noContent)
        let ended: [IdentityAdmin.BreakGlassGrant] = try await admin.call(IdentityAdmin.listBreakGlassGrants)
        #expect(ended.map(\.isActive) == [false] && ended.first?.endedAt != nil)
        let missing = try await admin.refusal(IdentityAdmin.revokeBreakGlass, ["grant": fixture.bo.id.rawValue])
        #expect(missing == "identity.breakGlass.missing")
    }

    @Test func `a grant is deleted with the audit entries of its time`() async throws {
        let fixture = try await TestPlatform { $0.retention.audit = .seconds(10 * 86_400) }
        _ = try await fixture.administration.breakGlass.grant(
            .globalAdministrator, to: fixture.bo, reason: Self.reason, by: Self.operator)
        func grants() async throws -> Int {
            while try await Housekeeping(fixture.platform).sweep(step: 1) > 0 {}
            return try await fixture.platform.database.read { try $0.rows("SELECT id FROM breakGlass").count }
        }
        fixture.clock.advance(by: .seconds(86_400))
        #expect(try await grants() == 1)
        fixture.clock.advance(by: .seconds(10 * 86_400))
        #expect(try await grants() == 0)
    }
}
