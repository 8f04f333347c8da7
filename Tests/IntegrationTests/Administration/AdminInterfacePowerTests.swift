// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import Crypto
import HTTPTypes
import IdentityPlatform
import OAuth
import Storage
import StorageTestSupport
import TestSupport
import Testing

/// How nobody gets more power over the administration than was given to them.
@Suite struct AdminInterfacePowerTests {
    private static let administration = #""resources":["\#(ResourceCatalogue.administrationApplication)"]"#
    private static let roleOfAll = "RoleManagement.ReadWrite.Directory"

    /// A registration of a client that could sign people in for the administration.
    private static let registration =
        #"{"displayName":"Menu","redirectURIs":["https://evil.test/cb"],\#(administration),"#
        + #""permissions":["\#(roleOfAll)"]}"#

    @Test func `an application cannot give itself or others a permission, a key or a client of the administration`()
        async throws
    {
        let fixture = try await TestAdministration()
        let application = try await fixture.application(
            "AppRoleAssignment.ReadWrite.All", "Application.ReadWrite.All")
        let token = try await fixture.token(of: application)
        let own = ["client": application.client.id.rawValue]
        let pem = try SigningKey.p256(P256.Signing.PrivateKey()).publicPEM().replacing("\n", with: "\\n")
        let grant = IdentityAdmin.grantApplicationPermission.operation
        let acts: [(AdminOperation, [String: String], String?)] = [
            (grant, own.merging(["permission": Self.roleOfAll]) { $1 }, nil),
            (grant, own.merging(["permission": "User.Read.All"]) { $1 }, nil),
            (IdentityAdmin.addClientKey.operation, own, #"{"name":"second","publicKey":"\#(pem)"}"#),
            (IdentityAdmin.addClient.operation, [:], Self.registration),
        ]
        for (operation, places, body) in acts {
            let refused = try await fixture.call(operation, places, token: token, body: body)
            #expect(refused.refusal == "admin.privileged", "\(operation.id): \(refused.text)")
        }
        // It may register ordinary applications, and a Global Administrator may do all of it.
        let ordinary = try await fixture.call(
            IdentityAdmin.addClient.operation, token: token, body: #"{"displayName":"Notes","redirectURIs":[]}"#)
        #expect(ordinary.status == .created, "\(ordinary.text)")
        let global = try await fixture.token(of: fixture.admin)
        for (operation, places, body) in acts {
            let done = try await fixture.call(operation, places, token: global, body: body)
            #expect(done.status.kind == .successful, "\(operation.id): \(done.text)")
        }
    }

    @Test func `an application cannot change an application that can administer`() async throws {
        let fixture = try await TestAdministration()
        let token = try await fixture.token(
            of: try await fixture.application("AppRoleAssignment.ReadWrite.All", "Application.ReadWrite.All"))
        let other = try await fixture.application("User.Read.All")
        let tools = try await fixture.operate(
            IdentityAdmin.addClient.operation,
            body: Self.registration.replacing("\"displayName\"", with: "\"isConfidential\":true,\"displayName\""))
        let menu = try tools.decoded(IdentityAdmin.Client.self).id
        let notes = try await fixture.acts.clients.add(
            NewClient(displayName: "Notes", redirectURIs: [], isConfidential: true), tenant: fixture.tenant)
        func acts(on client: String) -> [(AdminOperation, [String: String], String?)] {
            let place = ["client": client]
            return [
                (IdentityAdmin.changeClient.operation, place, #"{"accountEnabled":false}"#),
                (IdentityAdmin.changeClient.operation, place, #"{"accountEnabled":true}"#),
                (IdentityAdmin.addClientSecret.operation, place, nil),
                (
                    IdentityAdmin.revokeApplicationPermission.operation,
                    place.merging(["permission": "User.Read.All"]) { $1 }, nil
                ),
                (IdentityAdmin.removeClient.operation, place, nil),
            ]
        }
        for client in [AdministrationApp.clientID, menu, other.client.id.rawValue] {
            for (operation, places, body) in acts(on: client) {
                let refused = try await fixture.call(operation, places, token: token, body: body)
                // A public client has no secrets.
                let isPublic = client == AdministrationApp.clientID && operation.id == "addClientSecret"
                #expect(
                    refused.refusal == (isPublic ? "identity.client.public" : "admin.privileged"),
                    "\(client) \(operation.id): \(refused.text)")
            }
        }
        // Every operation on an application that is declared to give power checks for it.
        let pem = try SigningKey.p256(P256.Signing.PrivateKey()).publicPEM().replacing("\n", with: "\\n")
        let bodies = [
            IdentityAdmin.addClientKey.operation.id: #"{"name":"second","publicKey":"\#(pem)"}"#,
            IdentityAdmin.changeClient.operation.id: #"{"accountEnabled":false}"#,
        ]
        let keys = try await fixture.call(
            IdentityAdmin.listClientKeys.operation, ["client": other.client.id.rawValue], token: token)
        let key = try #require(try keys.decoded([IdentityAdmin.ClientKey].self).first).id
        let powerful = AdminOperation.all.filter { $0.givesPower && $0.path.contains("{client}") }
        #expect(powerful.count == 8)
        for operation in powerful {
            let places = [
                "client": other.client.id.rawValue, "key": key, "secret": "s", "permission": "User.Read.All",
            ]
            let refused = try await fixture.call(operation, places, token: token, body: bodies[operation.id])
            #expect(refused.refusal == "admin.privileged", "\(operation.id): \(refused.text)")
        }
        // It may do all of this with an ordinary application, and a Global Administrator with each.
        for (operation, places, body) in acts(on: notes.id.rawValue) {
            let done = try await fixture.call(operation, places, token: token, body: body)
            #expect(done.status.kind == .successful, "\(operation.id): \(done.text)")
        }
        let global = try await fixture.token(of: fixture.admin)
        for (operation, places, body) in acts(on: menu) {
            let done = try await fixture.call(operation, places, token: global, body: body)
            #expect(done.status.kind == .successful, "\(operation.id): \(done.text)")
        }
    }

    @Test func `an application registers and changes only clients that read no more than a person's own data`()
        async throws
    {
        let fixture = try await TestAdministration()
        let token = try await fixture.token(
            of: try await fixture.application("AppRoleAssignment.ReadWrite.All", "Application.ReadWrite.All"))
        let global = try await fixture.token(of: fixture.admin)
        func registration(_ permission: String) -> String {
            #"{"displayName":"Timesheet","redirectURIs":["https://evil.test/cb"],"isConfidential":true,"#
                + #""permissions":["\#(permission)"]}"#
        }
        let powerful = GraphPermission.allCases.filter { $0 != .readSelf }.map(\.rawValue)
        for permission in powerful + ["usER.readwrite.all"] {
            let refused = try await fixture.call(
                IdentityAdmin.addClient.operation, token: token, body: registration(permission))
            #expect(refused.refusal == "admin.privileged", "\(permission): \(refused.text)")
        }
        for permission in ["User.Read", "user.read"] {
            let ordinary = try await fixture.call(
                IdentityAdmin.addClient.operation, token: token, body: registration(permission))
            #expect(ordinary.status == .created, "\(permission): \(ordinary.text)")
        }
        let added = try await fixture.call(
            IdentityAdmin.addClient.operation, token: global, body: registration("User.ReadWrite.All"))
        let timesheet = try added.decoded(IdentityAdmin.Client.self).id
        for client in [timesheet, WellKnownApplication.broker] {
            let acts: [(AdminOperation, String?)] = [
                (IdentityAdmin.changeClient.operation, #"{"accountEnabled":false}"#),
                (IdentityAdmin.addClientSecret.operation, nil),
                (IdentityAdmin.removeClient.operation, nil),
            ]
            for (operation, body) in acts where client == timesheet || operation.id != "addClientSecret" {
                let refused = try await fixture.call(operation, ["client": client], token: token, body: body)
                #expect(refused.refusal == "admin.privileged", "\(client) \(operation.id): \(refused.text)")
            }
        }
        let removed = try await fixture.call(
            IdentityAdmin.removeClient.operation, ["client": timesheet], token: global)
        #expect(removed.status == .noContent, "\(removed.text)")
    }

    @Test func `only a Global Administrator adds the applications of other makers, shortly after a sign-in`()
        async throws
    {
        let fixture = try await TestAdministration()
        let application = try await fixture.application("Application.ReadWrite.All")
        let operation = IdentityAdmin.addCompatibilityClients.operation
        let refused = try await fixture.call(operation, token: try await fixture.token(of: application))
        #expect(refused.refusal == "admin.privileged", "\(refused.text)")
        let (old, oldOwn) = (try await fixture.token(of: fixture.admin), try await fixture.token(of: application))
        fixture.clock.advance(by: .seconds(322))
        for token in [old, oldOwn] {
            let late = try await fixture.call(operation, token: token)
            #expect(late.refusal == "admin.stepUp", "\(late.text)")
        }
        let clients = try await fixture.platform.database.read { try Clients($0).all(tenant: fixture.tenant.id) }
        #expect(!clients.contains { $0.displayName == "Azure CLI" })
        let done = try await fixture.call(operation, token: try await fixture.token(of: fixture.admin))
        #expect(done.status == .ok, "\(done.text)")
    }

    @Test func `an application assigns and takes away only roles that do not control other roles`() async throws {
        let fixture = try await TestAdministration()
        let token = try await fixture.token(of: try await fixture.application(Self.roleOfAll))
        let other = try await fixture.person("other", .globalAdministrator, .privilegedRoleAdministrator)
        for role in ["Global Administrator", "Privileged Role Administrator"] {
            for (operation, person) in [
                (IdentityAdmin.assignRole.operation, fixture.bo), (IdentityAdmin.unassignRole.operation, other),
            ] {
                let refused = try await fixture.call(
                    operation, ["role": role, "user": person.id.rawValue], token: token)
                #expect(refused.refusal == "admin.privileged", "\(operation.id) \(role): \(refused.text)")
            }
        }
        let places = ["role": "Cloud Device Administrator", "user": fixture.bo.id.rawValue]
        for operation in [IdentityAdmin.assignRole.operation, IdentityAdmin.unassignRole.operation] {
            let done = try await fixture.call(operation, places, token: token)
            #expect(done.status == .noContent, "\(operation.id): \(done.text)")
        }
    }

    // MARK: The last Global Administrator

    /// The acts after which a person is not an enabled Global Administrator any more.
    private static let losses: [(AdminOperation, String?)] = [
        (IdentityAdmin.unassignRole.operation, nil), (IdentityAdmin.changeUser.operation, #"{"accountEnabled":false}"#),
        (IdentityAdmin.eraseUser.operation, nil), (IdentityAdmin.removeUser.operation, nil),
    ]

    private static func places(_ user: User) -> [String: String] {
        ["tenant": user.tenant.rawValue, "role": "Global Administrator", "user": user.id.rawValue]
    }

    @Test(arguments: losses.indices)
    func `nobody takes the last Global Administrator from a tenant, except the machine's operator`(index: Int)
        async throws
    {
        let (operation, body) = Self.losses[index]
        let fixture = try await TestAdministration()
        let elsewhere = try await fixture.acts.tenants.add(displayName: "Fabrikam", domain: "fabrikam.test")
        _ = try await fixture.person("stranger", .globalAdministrator, tenant: elsewhere)
        let second = try await fixture.person("second", .globalAdministrator)
        let roles = try await fixture.token(of: try await fixture.person("roles", .privilegedRoleAdministrator))
        let token = try await fixture.token(of: fixture.admin)
        try await fixture.acts.users.setEnabled(false, second)
        // Emergency access ends, so it does not make the person an administrator who stays.
        _ = try await fixture.acts.breakGlass.grant(
            .globalAdministrator, to: fixture.bo, minutes: 10, reason: "the directory is on fire", by: "uid=0")
        let emergency = try await fixture.token(of: fixture.bo)
        let callers = operation.id == "unassignRole" ? [token, emergency, roles] : [token, emergency]
        for caller in callers {
            let refused = try await fixture.call(operation, Self.places(fixture.admin), token: caller, body: body)
            #expect(refused.status == .conflict && refused.refusal == "identity.role.last", "\(refused.text)")
            #expect(refused.failure?.remedy.contains("baton admin role add") == true, "\(refused.text)")
        }
        // The refused acts have changed nothing. A disabled person can lose the role, because an enabled one keeps it.
        let present = try await fixture.call(
            IdentityAdmin.getUser.operation, Self.places(fixture.admin), token: token
        ).decoded(IdentityAdmin.User.self)
        #expect(present.accountEnabled && present.roles == ["Global Administrator"])
        let other = try await fixture.call(operation, Self.places(second), token: token, body: body)
        #expect(other.status.kind == .successful, "\(other.text)")
        // The operator stops a stolen account at once, and assigns the role again.
        let done = try await fixture.operate(operation, Self.places(fixture.admin), body: body)
        #expect(done.status.kind == .successful, "\(done.text)")
        let assigned = try await fixture.operate(IdentityAdmin.assignRole.operation, Self.places(fixture.bo))
        #expect(assigned.status == .noContent, "\(assigned.text)")
    }

    @Test(arguments: losses.indices)
    func `of two Global Administrators, one can go, even if the other one is disabled at the same moment`(index: Int)
        async throws
    {
        let (operation, body) = Self.losses[index]
        let fixture = try await TestAdministration()
        let second = try await fixture.person("second", .globalAdministrator)
        let token = try await fixture.token(of: fixture.admin)
        fixture.beforeAct.set { try await fixture.acts.users.setEnabled(false, second) }
        let refused = try await fixture.call(operation, Self.places(fixture.admin), token: token, body: body)
        #expect(refused.refusal == "identity.role.last", "\(refused.text)")
        try await fixture.acts.users.setEnabled(true, second)
        let done = try await fixture.call(operation, Self.places(fixture.admin), token: token, body: body)
        #expect(done.status.kind == .successful, "\(done.text)")
        let last = try await fixture.call(
            operation, Self.places(second), token: try await fixture.token(of: second), body: body)
        #expect(last.refusal == "identity.role.last", "\(last.text)")
    }

    @Test func `a sign-in of six minutes ago gives nobody power, and takes none from a person who has some`()
        async throws
    {
        let fixture = try await TestAdministration()
        let other = try await fixture.person("other", .globalAdministrator)
        let session = try await fixture.token(of: other)
        let token = try await fixture.token(of: fixture.admin)
        fixture.clock.advance(by: .seconds(360))
        let tool = ["client": AdministrationApp.clientID]
        let acts: [(AdminOperation, [String: String], String?)] = [
            (
                IdentityAdmin.setPassword.operation, ["user": other.id.rawValue],
                #"{"password":"another horse battery"}"#
            ),
            (IdentityAdmin.changeUser.operation, ["user": other.id.rawValue], #"{"accountEnabled":false}"#),
            (IdentityAdmin.revokeUserSessions.operation, ["user": other.id.rawValue], nil),
            (
                IdentityAdmin.assignRole.operation,
                ["role": "Global Administrator", "user": fixture.bo.id.rawValue], nil
            ),
            (
                IdentityAdmin.unassignRole.operation,
                ["role": "Global Administrator", "user": other.id.rawValue], nil
            ),
            (IdentityAdmin.addClient.operation, [:], Self.registration),
            (IdentityAdmin.addClient.operation, [:], #"{"displayName":"Notes","redirectURIs":[]}"#),
            (IdentityAdmin.changeClient.operation, tool, #"{"accountEnabled":false}"#),
        ]
        for (operation, places, body) in acts {
            let refused = try await fixture.call(operation, places, token: token, body: body)
            #expect(refused.refusal == "admin.stepUp", "\(operation.id): \(refused.text)")
        }
        let present = try await fixture.call(IdentityAdmin.listUsers.operation, token: session)
        #expect(present.status == .ok)
        // Acts on people without a role need no new sign-in.
        let bo = try await fixture.call(
            IdentityAdmin.setPassword.operation, ["user": fixture.bo.id.rawValue], token: token,
            body: #"{"password":"another horse battery"}"#)
        #expect(bo.status == .noContent, "\(bo.text)")
    }

    @Test func `an answer says until when emergency access is in force, to people of that organisation only`()
        async throws
    {
        let fixture = try await TestAdministration()
        let other = try await fixture.acts.tenants.add(displayName: "Fabrikam", domain: "fabrikam.test")
        let stranger = try await fixture.person("stranger", .globalAdministrator, tenant: other)
        let granted = try await fixture.operate(
            IdentityAdmin.grantBreakGlass.operation, ["tenant": fixture.tenant.id.rawValue],
            body: #"{"user":"bo@contoso.test","minutes":30,"reason":"All administrators are locked out."}"#)
        #expect(granted.status.kind == .successful, "\(granted.text)")
        let name = try #require(HTTPField.Name(IdentityAdmin.breakGlassHeader))
        func notice(_ user: User) async throws -> String? {
            let token = try await fixture.token(of: user)
            return try await fixture.call(IdentityAdmin.listUsers.operation, token: token).headers[name]
        }
        #expect(try await notice(fixture.admin) != nil)
        #expect(try await notice(stranger) == nil)
        let document = try await fixture.call(IdentityAdmin.getOpenAPI.operation, token: nil)
        #expect(document.headers[name] == nil)
    }
}
