// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import IdentityPlatform
import OAuth
import Storage
import TestSupport
import Testing

/// A client gets the permissions that it is registered for, or the standard permissions if it is registered for no
/// permission.
@Suite struct ClientPermissionTests {
    private func permissions(_ fixture: TestPlatform, _ client: Client, scope: String) async throws -> String {
        let code = try await Browser(fixture).signIn(
            AuthorizeQuery(fixture, ["client_id": client.id.rawValue, "scope": scope]))[ParameterName.code]
        let reply = try await fixture.redeem(code, ["client_id": client.id.rawValue])
        #expect(reply.status == .ok, "\(reply.text)")
        let claims = try CompactJWS(try reply.json.string(ReplyName.accessToken)).claims()
        return try claims.string(ClaimName.scopes)
    }

    private func client(_ fixture: TestPlatform, _ permissions: [String]) async throws -> Client {
        try await fixture.administration.clients.add(
            NewClient(displayName: "Console", redirectURIs: [TestPlatform.redirect], permissions: permissions),
            tenant: fixture.tenant)
    }

    @Test(arguments: [
        ([], "openid .default", "User.Read openid"), ([], "openid", "User.Read openid"),
        ([], "User.Read Group.ReadWrite.All", "User.Read"),
        (["group.read.all", "AuditLog.Read.All"], "https://graph.test/.default", "Group.Read.All AuditLog.Read.All"),
        (["Group.Read.All", "AuditLog.Read.All"], "auditlog.read.all User.Read", "AuditLog.Read.All"),
    ])
    func `a client gets the permissions that it is registered for`(
        registered: [String], scope: String, granted: String
    ) async throws {
        let fixture = try await TestPlatform()
        let client = try await client(fixture, registered)
        #expect(try await permissions(fixture, client, scope: scope) == granted)
    }

    @Test(arguments: [("Group.Read.All", "AADSTS65001:"), ("Mail.Read", "AADSTS70011:")])
    func `a permission that the client is not registered for is refused`(scope: String, text: String) async throws {
        let fixture = try await TestPlatform()
        let answer = try await fixture.client.get(AuthorizeQuery(fixture, ["scope": scope]).path)
        let description = try #require(try answer.returned()[ParameterName.errorDescription])
        #expect(description.hasPrefix(text) && description.contains(scope), "\(description)")
    }

    @Test func `a refusal shows of unknown scopes only what a permission's name may contain`() throws {
        let text = OAuthError.unknownScopes(["Mail.<b>\u{202E}", String(repeating: "a", count: 300)]).description
        #expect(text.contains("Mail.?b??") && !text.contains(String(repeating: "a", count: 101)))
    }

    @Test func `a permission that no resource has cannot be registered`() async throws {
        let fixture = try await TestPlatform()
        await #expect(throws: AdminRefusal.unknownPermission) { try await client(fixture, ["Mail.Read"]) }
    }

    @Test func `applications of other vendors are registered only on the operator's request, and once`() async throws {
        let fixture = try await TestPlatform()
        let azure = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"
        let query = AuthorizeQuery(
            fixture,
            [
                "client_id": azure, "scope": "openid https://graph.microsoft.com/.default",
                "redirect_uri": "https://login.microsoftonline.com/common/oauth2/nativeclient",
            ])
        #expect(try await fixture.client.get(query.path).text.contains("AADSTS700016"))
        let added = try await fixture.administration.clients.addCompatibilityPack(tenant: fixture.tenant)
        #expect(added.count == 7)
        #expect(try await fixture.administration.clients.addCompatibilityPack(tenant: fixture.tenant).isEmpty)
        #expect(try await fixture.client.get(query.path).status == .ok)
        let client = try #require(added.first { $0.id.rawValue == azure })
        let scopes = try await permissions(fixture, client, scope: "openid https://graph.microsoft.com/.default")
        #expect(scopes.split(separator: " ").count == GraphPermission.allCases.count + 1)
        let office = try #require(added.first { $0.displayName == "Office" })
        #expect(try await permissions(fixture, office, scope: ".default") == "User.Read")
        #expect(added.filter(\.isBroker).map(\.displayName) == ["Windows Sign In"])
    }
}
