// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import IdentityPlatform
import OAuth
import TestSupport
import Testing

/// A client gets what it is registered for, and the ordinary permissions where that is nothing.
@Suite struct ClientPermissionTests {
    private func permissions(_ world: World, _ client: Client, scope: String) async throws -> String {
        let code = try await Browser(world).signIn(
            AuthorizeQuery(world, ["client_id": client.id.rawValue, "scope": scope]))[ParameterName.code]
        let reply = try await world.redeem(code, ["client_id": client.id.rawValue])
        #expect(reply.status == .ok, "\(reply.text)")
        let claims = try CompactJWS(try reply.json.string(ReplyName.accessToken)).claims()
        return try claims.string(ClaimName.scopes)
    }

    private func client(_ world: World, _ permissions: [String]) async throws -> Client {
        try await world.administration.addClient(
            NewClient(displayName: "Console", redirectURIs: [World.redirect], permissions: permissions),
            tenant: world.tenant)
    }

    @Test(arguments: [
        ([], "openid .default", "User.Read openid"), ([], "openid", "User.Read openid"),
        ([], "User.Read Group.ReadWrite.All", "User.Read"),
        (["group.read.all", "AuditLog.Read.All"], "https://graph.test/.default", "Group.Read.All AuditLog.Read.All"),
        (["Group.Read.All", "AuditLog.Read.All"], "auditlog.read.all User.Read", "AuditLog.Read.All"),
    ])
    func `a client gets what it is registered for`(
        registered: [String], scope: String, granted: String
    ) async throws {
        let world = try await World()
        let client = try await client(world, registered)
        #expect(try await permissions(world, client, scope: scope) == granted)
    }

    @Test(arguments: [("Group.Read.All", "AADSTS65001:"), ("Mail.Read", "AADSTS70011:")])
    func `a permission that the client is not registered for is refused`(scope: String, text: String) async throws {
        let world = try await World()
        let answer = try await world.client.get(AuthorizeQuery(world, ["scope": scope]).path)
        #expect(try answer.returned()[ParameterName.errorDescription]?.hasPrefix(text) == true)
    }

    @Test func `a permission that no resource knows is not registered`() async throws {
        let world = try await World()
        await #expect(throws: AdminRefusal.unknownPermission) { try await client(world, ["Mail.Read"]) }
    }

    @Test func `applications of other makers are registered only when the operator asks, and once`() async throws {
        let world = try await World()
        let azure = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"
        let query = AuthorizeQuery(
            world,
            [
                "client_id": azure, "scope": "openid https://graph.microsoft.com/.default",
                "redirect_uri": "https://login.microsoftonline.com/common/oauth2/nativeclient",
            ])
        #expect(try await world.client.get(query.path).text.contains("AADSTS700016"))
        let added = try await world.administration.addCompatibilityClients(tenant: world.tenant)
        #expect(added.count == 7)
        #expect(try await world.administration.addCompatibilityClients(tenant: world.tenant).isEmpty)
        #expect(try await world.client.get(query.path).status == .ok)
        let client = try #require(added.first { $0.id.rawValue == azure })
        let scopes = try await permissions(world, client, scope: "openid https://graph.microsoft.com/.default")
        #expect(scopes.split(separator: " ").count == GraphPermission.allCases.count + 1)
        let office = try #require(added.first { $0.displayName == "Office" })
        #expect(try await permissions(world, office, scope: ".default") == "User.Read")
        #expect(added.filter(\.isBroker).map(\.displayName) == ["Windows Sign In"])
    }
}
