// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import AdminServer
import HTTPTypes
import IdentityPlatform
import OAuth
import Redaction
import Storage
import StorageTestSupport
import TestSupport
import Testing

/// Which tokens the HTTPS interface of administration accepts, and from which requests.
@Suite struct AdminInterfaceTokenTests {
    private static let people = IdentityAdmin.listUsers.operation
    private static let devices = MDMAdmin.listManagedDevices.operation

    /// Checks that both engines refuse a token, with the answer that tells a client what to do (RFC 6750 section 3).
    private func expectRefusal(
        _ fixture: TestAdministration, _ token: String, _ words: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for operation in [Self.people, Self.devices] {
            let answer = try await fixture.call(operation, token: token)
            #expect(answer.status == .unauthorized, sourceLocation: sourceLocation)
            #expect(answer.failure?.code == "admin.token", sourceLocation: sourceLocation)
            #expect(
                answer.failure?.message.contains(words) == true, "\(answer.text)", sourceLocation: sourceLocation)
            #expect(
                answer.headers[.wwwAuthenticate]
                    == "Bearer resource_metadata=\"https://admin.test:8445/.well-known/oauth-protected-resource\", "
                    + "error=\"invalid_token\"", sourceLocation: sourceLocation)
        }
    }

    /// Adds a public client that may only call Graph, with every permission of Graph that an administrator could need.
    private func graphClient(_ fixture: TestAdministration) async throws -> Client {
        try await fixture.acts.clients.add(
            NewClient(
                displayName: "Tools", redirectURIs: ["http://localhost"],
                resources: [ResourceCatalogue.graphApplication],
                permissions: ["User.ReadWrite.All", "Group.ReadWrite.All"]), tenant: fixture.tenant)
    }

    @Test func `a token for Graph is refused by the administration, and the administration's token by Graph`()
        async throws
    {
        let fixture = try await TestAdministration()
        let client = try await graphClient(fixture)
        let graph = try await fixture.token(
            of: fixture.admin, scope: "openid https://graph.test/User.ReadWrite.All", client: client.id.rawValue)
        try await expectRefusal(fixture, graph, "another resource")
        let own = try await fixture.token(of: fixture.admin)
        #expect(try await fixture.call(Self.people, token: own).status == .ok)
        for (method, path, body) in [
            (.get, "/v1.0/me", nil), (.get, "/v1.0/users", nil),
            (.patch, "/v1.0/users/bo@contoso.test", #"{"accountEnabled":false}"#),
        ] as [(HTTPRequest.Method, String, String?)] {
            let answer = try await fixture.graph(method, path, token: own, body: body)
            #expect(answer.status == .unauthorized, "\(path): \(answer.text)")
        }
        let bo: IdentityAdmin.User = try await fixture.operate(
            IdentityAdmin.getUser.operation, ["user": "bo@contoso.test"]
        ).decoded()
        #expect(bo.accountEnabled)
    }

    @Test func `a client that is registered for Graph gets no token of the administration`() async throws {
        let fixture = try await TestAdministration()
        let client = try await graphClient(fixture).id.rawValue
        let form = [
            "grant_type": "password", "client_id": client, "username": fixture.admin.userPrincipalName,
            "password": TestAdministration.password,
        ]
        // Both resources have a permission with this name.
        for scope in ["User.ReadWrite.All", ".default"] {
            let refused = try await fixture.tokenAnswer(
                fixture.tenant.id, form.merging(["scope": "\(TestAdministration.resource)/\(scope)"]) { $1 })
            #expect(refused.status == .badRequest && refused.text.contains("AADSTS65001"), "\(refused.text)")
        }
        let signedIn = try await fixture.tokenAnswer(
            fixture.tenant.id,
            form.merging(["scope": "openid offline_access https://graph.test/User.ReadWrite.All"]) { $1 })
        let refreshed = try await fixture.tokenAnswer(
            fixture.tenant.id,
            [
                "grant_type": "refresh_token", "client_id": client, "scope": "\(TestAdministration.resource)/.default",
                "refresh_token": try Members(decoding: signedIn.body).string(ReplyName.refreshToken),
            ])
        #expect(refreshed.status == .badRequest && refreshed.text.contains("AADSTS65001"), "\(refreshed.text)")
    }

    @Test func `an expired token, a token of an ended session and a token of a disabled application are refused`()
        async throws
    {
        let fixture = try await TestAdministration()
        let application = try await fixture.application("User.Read.All", "DeviceManagementManagedDevices.Read.All")
        func tokens() async throws -> (person: String, application: String) {
            (try await fixture.token(of: fixture.admin), try await fixture.token(of: application))
        }
        var own = try await tokens()
        for token in [own.person, own.application] {
            #expect(try await fixture.call(Self.people, token: token).status == .ok)
            #expect(try await fixture.call(Self.devices, token: token).status == .ok)
        }
        fixture.clock.advance(by: .seconds(86_400))
        try await expectRefusal(fixture, own.person, "expired")
        try await expectRefusal(fixture, own.application, "expired")
        own = try await tokens()
        try await fixture.acts.users.revokeSessions(of: fixture.admin)
        try await expectRefusal(fixture, own.person, "session")
        own = try await tokens()
        let tool = try #require(ClientID(rawValue: AdministrationApp.clientID))
        let tools = try await fixture.platform.database.read { [tenant = fixture.tenant.id] in
            try #require(try Clients($0).find(tool, tenant: tenant))
        }
        for client in [tools, application.client] { try await fixture.acts.clients.setEnabled(false, client) }
        try await expectRefusal(fixture, own.person, "may no longer use it")
        try await expectRefusal(fixture, own.application, "may no longer use it")
        try await expectRefusal(fixture, "x.y.z", "not valid")
    }

    @Test func `a token reaches only its own tenant, whatever name the path has`() async throws {
        let fixture = try await TestAdministration()
        let other = try await fixture.acts.tenants.add(displayName: "Fabrikam", domain: "fabrikam.test")
        let stranger = try await fixture.person("stranger", .globalAdministrator, tenant: other)
        let token = try await fixture.token(of: stranger)
        for name in [
            fixture.tenant.id.rawValue, fixture.tenant.id.rawValue.uppercased(), "contoso.test", "missing.test",
        ] {
            for (operation, code) in [(Self.people, "identity.tenant.missing"), (Self.devices, "mdm.tenant.missing")] {
                let answer = try await fixture.call(operation, ["tenant": name], token: token)
                // For another tenant, the answer is the one for a tenant that does not exist.
                #expect(answer.status == .notFound && answer.refusal == code, "\(name): \(answer.text)")
                #expect(answer.failure?.message == "There is no tenant \(name).")
            }
            let act = try await fixture.call(
                IdentityAdmin.addGroup.operation, ["tenant": name], token: token, body: #"{"displayName":"Ward"}"#)
            #expect(act.refusal == "identity.tenant.missing", "\(act.text)")
            let log = try await fixture.call(
                MDMAdmin.listManagementAuditEntries.operation, ["tenant": name], token: token)
            #expect(log.refusal == "mdm.tenant.missing", "\(log.text)")
        }
        for name in ["-", other.id.rawValue, "fabrikam.test", "FABRIKAM.test"] {
            let people: [IdentityAdmin.User] = try await fixture.call(Self.people, ["tenant": name], token: token)
                .decoded()
            #expect(people.map(\.userPrincipalName) == ["stranger@fabrikam.test"])
            #expect(try await fixture.call(Self.devices, ["tenant": name], token: token).status == .ok, "\(name)")
        }
        // Names of the other tenant's objects mean nothing, not even ids.
        let foreign = try await fixture.call(
            IdentityAdmin.getUser.operation, ["user": fixture.bo.id.rawValue], token: token)
        #expect(foreign.refusal == "identity.user.missing")
    }

    @Test func `requests of another site's page, or to another host name, are refused`() async throws {
        let fixture = try await TestAdministration()
        let token = try await fixture.token(of: fixture.admin)
        let site = AdminFieldName.fetchSite.field
        func group(_ name: String, _ headers: HTTPFields) async throws -> TestResponse {
            try await fixture.call(
                IdentityAdmin.addGroup.operation, token: token, headers: headers, body: "{\"displayName\":\"\(name)\"}")
        }
        let foreign: [HTTPFields] = [
            [.origin: "https://evil.test"], [.origin: "null"], [.origin: "https://admin.test"],
            [.origin: "http://admin.test:8445"], [.origin: "https://admin.test:8445.evil.test"],
            [site: "cross-site"], [site: "same-site"], [site: "none", .origin: "https://login.test:8443"],
        ]
        for headers in foreign {
            let answer = try await group("evil", headers)
            #expect(answer.status == .forbidden && answer.refusal == "admin.origin", "\(headers): \(answer.text)")
            // Such a page cannot even find out what the server is.
            let document = try await fixture.call(IdentityAdmin.getOpenAPI.operation, token: nil, headers: headers)
            #expect(document.refusal == "admin.origin")
        }
        let own: [HTTPFields] = [
            [:], [site: "none"], [site: "same-origin", .origin: "https://admin.test:8445"],
        ]
        for (number, headers) in own.enumerated() {
            #expect(try await group("own \(number)", headers).status == .created, "\(headers)")
        }
        for host in ["evil.test", "graph.test:8445", "127.0.0.1:8445", "admin.test.evil.test", "login.test:8443"] {
            let answer = try await fixture.send(.get, "/identity/tenants/-/users", host: host, token: token)
            #expect(answer.status == .misdirectedRequest, "\(host)")
        }
        let groups: [IdentityAdmin.Group] = try await fixture.operate(IdentityAdmin.listGroups.operation).decoded()
        #expect(groups.map(\.displayName).sorted() == ["own 0", "own 1", "own 2"])
        let answers = try await group("own 3", [:]).headers
        #expect(answers[.cacheControl] == "no-store" && answers[.accessControlAllowOrigin] == nil)
    }

    // MARK: Dangerous operations

    @Test func `a dangerous operation needs a sign-in or a token of an application within five minutes`() async throws {
        let fixture = try await TestAdministration()
        let dangerous = AdminOperation.all.filter { $0.isDangerous && $0.permission != nil }
        #expect(dangerous.count >= 8)
        let application = try await fixture.application()
        for permission in Set(dangerous.compactMap(\.permission)) {
            try await fixture.acts.clients.grant(permission, to: application.client)
        }
        let tokens = [try await fixture.token(of: fixture.admin), try await fixture.token(of: application)]
        func answers(_ operation: AdminOperation) async throws -> [TestResponse] {
            var answers: [TestResponse] = []
            for token in tokens {
                answers.append(
                    try await fixture.call(
                        operation, Attempt.places(of: operation), token: token, body: Attempt.body(of: operation)))
            }
            return answers
        }
        fixture.clock.advance(by: .seconds(300))
        for operation in dangerous {
            for answer in try await answers(operation) {
                // Some of them are not for applications at all.
                let isAdmitted =
                    answer.refusal?.hasPrefix("admin.") != true || answer.refusal == "admin.privileged"
                #expect(isAdmitted, "\(operation.id): \(answer.text)")
            }
        }
        fixture.clock.advance(by: .milliseconds(1))
        for operation in dangerous {
            for answer in try await answers(operation) {
                #expect(answer.status == .unauthorized && answer.refusal == "admin.stepUp", "\(operation.id)")
                // RFC 9470 section 3.
                #expect(
                    answer.headers[.wwwAuthenticate]
                        == "Bearer resource_metadata=\"https://admin.test:8445/.well-known/oauth-protected-resource\", "
                        + "error=\"insufficient_user_authentication\", max_age=\"300\"")
            }
        }
        for operation in AdminOperation.all where operation.permission != nil && !operation.isDangerous {
            let answer = try await fixture.call(
                operation, Attempt.places(of: operation), query: Attempt.query(of: operation), token: tokens[0],
                body: Attempt.body(of: operation))
            #expect(answer.refusal != "admin.stepUp", "\(operation.id)")
        }
        // A new sign-in is enough.
        let again = try await fixture.token(of: fixture.admin)
        let removal = try await fixture.call(
            IdentityAdmin.removeUser.operation, ["user": "bo@contoso.test"], token: again)
        #expect(removal.status == .noContent, "\(removal.text)")
    }

    // MARK: People with a role

    /// The operations that act on a person, with a valid body.
    private static let actsOnPeople: [(AdminOperation, String?)] = [
        (IdentityAdmin.setPassword.operation, #"{"password":"another horse battery"}"#),
        (IdentityAdmin.changeUser.operation, #"{"jobTitle":"Nurse"}"#),
        (IdentityAdmin.changeUser.operation, #"{"accountEnabled":false}"#),
        (IdentityAdmin.unlockUser.operation, nil), (IdentityAdmin.revokeUserSessions.operation, nil),
        (IdentityAdmin.eraseUser.operation, nil), (IdentityAdmin.removeUser.operation, nil),
    ]

    @Test func `only a Global Administrator acts on a person who has a role, and an application never does`()
        async throws
    {
        let fixture = try await TestAdministration()
        let users = try await fixture.token(of: try await fixture.person("users", .userAdministrator))
        let help = try await fixture.token(of: try await fixture.person("help", .helpdeskAdministrator))
        let application = try await fixture.token(
            of: try await fixture.application(
                "User.ReadWrite.All", "UserAuthenticationMethod.ReadWrite.All", "User.RevokeSessions.All"))
        let global = try await fixture.token(of: fixture.admin)
        let target = try await fixture.person("reader", .globalReader)
        let session = try await Self.session(of: target, fixture)
        func act(_ operation: AdminOperation, _ body: String?, on user: User, _ token: String) async throws
            -> TestResponse
        {
            try await fixture.call(operation, ["user": user.id.rawValue], token: token, body: body)
        }
        for (operation, body) in Self.actsOnPeople {
            for token in [users, help, application] {
                let answer = try await act(operation, body, on: target, token)
                // Some of these callers may not call some of the operations at all.
                let mayCall = answer.refusal != "admin.role"
                #expect(mayCall || token != application, "\(operation.id)")
                #expect(
                    answer.refusal == (mayCall ? "admin.privileged" : "admin.role"), "\(operation.id): \(answer.text)")
            }
        }
        for token in [users, help, application] {
            let answer = try await fixture.call(
                IdentityAdmin.revokeSession.operation, ["session": session], token: token)
            #expect(answer.refusal == "admin.privileged", "\(answer.text)")
        }
        // Nothing has happened to the person.
        let present: IdentityAdmin.User = try await fixture.operate(
            IdentityAdmin.getUser.operation, ["user": target.id.rawValue]
        ).decoded()
        #expect(present.accountEnabled && present.jobTitle == nil)
        #expect(try await Self.session(of: target, fixture, signingIn: false) == session)

        // A role that the person gets in between counts.
        fixture.beforeAct.set { try await fixture.acts.users.assign(.securityReader, to: fixture.bo) }
        let raced = try await act(
            IdentityAdmin.setPassword.operation, #"{"password":"another horse battery"}"#, on: fixture.bo, help)
        #expect(raced.refusal == "admin.privileged", "\(raced.text)")
        try await fixture.acts.users.unassign(.securityReader, from: fixture.bo)

        // A Global Administrator may, and everybody else may for people without a role.
        let one = try await fixture.call(IdentityAdmin.revokeSession.operation, ["session": session], token: global)
        #expect(one.status == .noContent)
        for (operation, body) in Self.actsOnPeople.dropLast(2) {
            let privileged = try await act(operation, body, on: target, global)
            #expect(privileged.status == .noContent, "\(operation.id): \(privileged.text)")
            let ordinary = try await act(operation, body, on: fixture.bo, users)
            #expect(ordinary.status == .noContent, "\(operation.id): \(ordinary.text)")
        }
        #expect(try await act(IdentityAdmin.removeUser.operation, nil, on: fixture.bo, users).status == .noContent)
        #expect(try await act(IdentityAdmin.eraseUser.operation, nil, on: target, global).status == .ok)
    }

    /// Returns the id of a person's only session.
    private static func session(
        of user: User, _ fixture: TestAdministration, signingIn: Bool = true
    ) async throws -> String {
        if signingIn { _ = try await fixture.token(of: user) }
        let sessions: [IdentityAdmin.Session] = try await fixture.operate(
            IdentityAdmin.listSessions.operation, query: [("user", user.userPrincipalName)]
        ).decoded()
        #expect(sessions.count == 1)
        return try #require(sessions.first).id
    }

    // MARK: Break-glass access

    @Test func `break-glass access opens this interface, and each use is recorded before anything is served`()
        async throws
    {
        let fixture = try await TestAdministration()
        let token = try await fixture.token(of: fixture.bo)
        #expect(try await fixture.call(Self.people, token: token).refusal == "admin.role")
        #expect(try await fixture.call(Self.devices, token: token).refusal == "admin.role")
        let grant = try await fixture.acts.breakGlass.grant(
            .globalAdministrator, to: fixture.bo, minutes: 10, reason: "the directory is on fire", by: "uid=0")
        for operation in [Self.people, Self.devices] {
            let answer = try await fixture.call(operation, token: token)
            #expect(answer.status == .ok, "\(answer.text)")
            let line = try #require(try await Self.uses(fixture).last)
            #expect(line.actor == fixture.bo.id.rawValue && line.interface == "https")
            #expect(line.subject == "\(grant.id) \(operation.method.rawValue):\(operation.path)")
        }
        fixture.clock.advance(by: .seconds(600))
        #expect(try await fixture.call(Self.people, token: token).refusal == "admin.role")
        #expect(try await Self.uses(fixture).count == 2)
    }

    @Test func `acting on a person with a role by break-glass access alone is recorded as its use`() async throws {
        let fixture = try await TestAdministration()
        let users = try await fixture.person("users", .userAdministrator)
        let reader = try await fixture.person("reader", .globalReader)
        let token = try await fixture.token(of: users)
        _ = try await fixture.acts.breakGlass.grant(
            .globalAdministrator, to: users, minutes: 10, reason: "nobody else is here", by: "uid=0")
        func unlock(_ user: User) async throws {
            let answer = try await fixture.call(
                IdentityAdmin.unlockUser.operation, ["user": user.id.rawValue], token: token)
            #expect(answer.status == .noContent, "\(answer.text)")
        }
        // The assigned role is enough for people without a role.
        try await unlock(fixture.bo)
        #expect(try await Self.uses(fixture).isEmpty)
        try await unlock(reader)
        let lines = try await Self.uses(fixture)
        #expect(lines.count == 1)
        #expect(lines.first?.subject?.hasSuffix("DELETE:\(IdentityAdmin.unlockUser.operation.path)") == true)
    }

    private static func uses(_ fixture: TestAdministration) async throws -> [IdentityAdmin.AuditEntry] {
        let log: [IdentityAdmin.AuditEntry] = try await fixture.operate(
            IdentityAdmin.listAuditEntries.operation, query: [("count", "1000")]
        ).decoded()
        return log.filter { $0.action == "break-glass.use" }
    }
}
