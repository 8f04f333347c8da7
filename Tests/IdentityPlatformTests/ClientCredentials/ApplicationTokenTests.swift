// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import Crypto
import HTTPTypes
import IdentityPlatform
import JSON
import OAuth
import Redaction
import Storage
import TestSupport
import Testing

/// Tests which resources accept tokens of applications, and which tokens the administration accepts.
@Suite struct ApplicationTokenTests {
    /// Signs a person in to the administration's tools, and returns the access token.
    private func personsToken(
        _ fixture: TestPlatform, scope: String = "\(TestApplication.resource)/.default",
        _ changes: [String: String?] = [:], browser: Browser? = nil
    ) async throws -> String {
        let redirect = "http://127.0.0.1:4567"
        var query: [String: String?] = [
            "client_id": AdministrationApp.clientID, "scope": scope, "redirect_uri": redirect,
        ]
        for (name, value) in changes { query[name] = value }
        let code = try await (browser ?? Browser(fixture)).signIn(AuthorizeQuery(fixture, query))[ParameterName.code]
        let answer = try await fixture.redeem(
            code, ["client_id": AdministrationApp.clientID, "redirect_uri": redirect])
        #expect(answer.status == .ok, "\(answer.text)")
        return try answer.json.string(ReplyName.accessToken)
    }

    /// Returns a token with other claims, signed with the tenant's own key.
    private func changed(
        _ token: String, _ fixture: TestPlatform, _ changes: [String: JSONValue?]
    ) async throws -> String {
        var claims = try CompactJWS(token).claims().values
        for (name, value) in changes { claims[name] = value }
        let key = try await fixture.platform.keys.current(of: fixture.tenant.id)
        return try key.signer.token(payload: JSONWriter.write(.object(claims)))
    }

    /// Returns the token with a signature of the application's key in place of the tenant's.
    private func ownSignature(_ token: String, _ application: TestApplication) throws -> String {
        let parsed = try CompactJWS(token)
        let id = try #require(parsed.keyID)
        return try TokenSigner(key: application.key, keyID: id).token(payload: parsed.rawPayload)
    }

    private func refusal(_ application: TestApplication, _ token: String) async -> AccessTokens.Refusal? {
        do {
            _ = try await application.bearer(token)
            return nil
        } catch {
            return error as? AccessTokens.Refusal
        }
    }

    @Test func `the administration's tools get every permission, and the token names the session's beginning`()
        async throws
    {
        let fixture = try await TestPlatform()
        let application = try await TestApplication(fixture)
        let browser = Browser(fixture)
        let first = try await personsToken(fixture, browser: browser)
        guard case .person(let token) = try await application.bearer(first) else {
            Issue.record("not a person's token")
            return
        }
        #expect(token.user.id == fixture.amara.id)
        #expect(Set(token.permissions) == Set(AdminOperation.permissions))
        #expect(token.permissions.contains("AppRoleAssignment.ReadWrite.All"))
        #expect(token.session.begun == fixture.clock.now)
        // A sign-in with max_age begins a new session, even in a browser that is signed in.
        fixture.clock.advance(by: .seconds(301))
        let again = try await personsToken(fixture, ["max_age": "300"], browser: browser)
        guard case .person(let later) = try await application.bearer(again) else {
            Issue.record("not a person's token")
            return
        }
        #expect(later.session.begun == fixture.clock.now)
        #expect(later.session.id != token.session.id)
        let some = try await personsToken(fixture, scope: "\(TestApplication.resource)/Device.Read.All")
        guard case .person(let limited) = try await application.bearer(some) else {
            Issue.record("not a person's token")
            return
        }
        #expect(limited.permissions == ["Device.Read.All"])
    }

    @Test func `an application's token has its permissions and the time of its issue`() async throws {
        let application = try await TestApplication(
            TestPlatform(), permissions: ["Device.Read.All", "User.ReadWrite.All"])
        let (fixture, begin) = (application.fixture, application.fixture.clock.now)
        let text = try await application.token()
        let token = try await application.verified(text)
        #expect(token.tenant == fixture.tenant.id && token.client == application.client.id)
        #expect(token.permissions == ["Device.Read.All", "User.ReadWrite.All"])
        #expect(token.issued == begin)
        #expect(token.auditName == "client:\(application.client.id)")
        try await fixture.platform.database.read { try token.confirm($0) }
        // A revoked permission counts neither in the next request nor in an act that has already begun.
        try await fixture.administration.clients.revoke("device.read.all", from: application.client)
        #expect(try await application.verified(text).permissions == ["User.ReadWrite.All"])
        await #expect(throws: AccessTokens.Refusal.ended) {
            try await fixture.platform.database.read { try token.confirm($0) }
        }
        let rest = try await application.verified(text)
        try await fixture.platform.database.read { try rest.confirm($0) }
        try await fixture.administration.clients.setEnabled(false, application.client)
        #expect(await refusal(application, text) == .ended)
        await #expect(throws: AccessTokens.Refusal.ended) {
            try await fixture.platform.database.read { try rest.confirm($0) }
        }
        try await fixture.administration.clients.setEnabled(true, application.client)
        fixture.clock.advance(by: .seconds(3600))
        #expect(await refusal(application, text) == .expired)
    }

    @Test func `the administration refuses every other token`() async throws {
        let fixture = try await TestPlatform()
        let application = try await TestApplication(fixture)
        let (token, person) = (try await application.token(), try await personsToken(fixture))
        let graph = try await fixture.signedIn().string(ReplyName.accessToken)
        let other = try await fixture.administration.tenants.add(displayName: "Fabrikam", domain: "fabrikam.test")
        let issuer = JSONValue.string("https://login.test:8443/\(other.id)/v2.0")
        for (text, expected) in [
            (graph, .audience), ("x", .malformed), (try ownSignature(token, application), .signature),
            (try await changed(token, fixture, ["aud": .string("https://graph.test")]), .audience),
            (try await changed(token, fixture, ["aud": .string("https://admin.elsewhere.test")]), .audience),
            (try await changed(token, fixture, ["tid": .string(other.id.rawValue), "iss": issuer]), .signature),
            (try await changed(token, fixture, ["iss": issuer]), .signature),
            (try await changed(token, fixture, ["idtyp": .string("device")]), .malformed),
            (try await changed(token, fixture, ["idtyp": nil]), .malformed),
            (try await changed(token, fixture, ["idtyp": .string("user")]), .malformed),
            (try await changed(token, fixture, ["roles": nil]), .malformed),
            (try await changed(person, fixture, ["idtyp": .string("app")]), .malformed),
            (try await changed(token, fixture, ["nbf": .integer(.max)]), .expired),
        ] as [(String, AccessTokens.Refusal)] {
            #expect(await refusal(application, text) == expected, "\(text)")
        }
        #expect(await refusal(application, token) == nil)
    }

    @Test func `permissions that a token claims but the application does not have do not count`() async throws {
        let application = try await TestApplication(TestPlatform())
        let forged = try await changed(
            try await application.token(), application.fixture,
            ["roles": .array([.string("Device.Read.All"), .string("User.ReadWrite.All")])])
        #expect(try await application.verified(forged).permissions == ["Device.Read.All"])
    }

    @Test func `Graph, user information, device registration and introspection refuse an application's token`()
        async throws
    {
        let fixture = try await TestPlatform()
        let application = try await TestApplication(fixture)
        let secret = try await fixture.administration.clients.addSecret(to: application.client).text.exposed
        let token = try await application.token()
        let person = try CompactJWS(try await fixture.signedIn().string(ReplyName.accessToken)).claims().values
        for audience in ["https://graph.test", "urn:ms-drs:drs.test", TestApplication.resource] {
            // Even a token that names a session and scopes is not a person's if it says that it is an application's.
            for more in [[:], ["sid": person["sid"], "scp": person["scp"], "oid": person["oid"]]] {
                let text = try await changed(
                    token, fixture, more.merging(["aud": .string(audience)]) { $1 })
                let bearer = "Bearer \(text)"
                for (path, host) in [
                    ("/v1.0/me", "graph.test"), ("/v1.0/users", "graph.test"), ("/oidc/userinfo", "graph.test"),
                    ("/\(fixture.tenant.id)/openid/userinfo", "login.test"),
                ] {
                    let answer = try await fixture.client.get(path, host: host, headers: [.authorization: bearer])
                    #expect(answer.status == .unauthorized, "\(path) \(audience)")
                }
                let join = try await fixture.client.send(
                    .post, "/EnrollmentServer/device?api-version=2.0", host: "drs.test",
                    headers: [.authorization: bearer], body: "{}")
                #expect(join.status == .unauthorized, "\(audience): \(join.text)")
                let introspected = try await fixture.client.send(
                    .post, "/\(fixture.tenant.id)/oauth2/v2.0/introspect",
                    body: "client_id=\(application.client.id)&client_secret=\(percentEncoded(secret))&token=\(text)")
                #expect(introspected.text == "{\"active\":false}", "\(audience)")
            }
        }
    }

    @Test func `a device's token is not accepted by the administration`() async throws {
        let fixture = try await TestPlatform()
        let application = try await TestApplication(fixture)
        let device = try await TestDevice.joined(fixture)
        let form = try DeviceTokenGrantRequest(
            clientID: AdministrationApp.clientID, redirectURI: AdministrationApp.redirectURI, scopes: Scopes([]),
            resource: TestApplication.resource, nonce: try await device.nonce()
        ).form(
            signedWith: .rsa(device.deviceKey), certificate: device.certificate,
            audience: "https://login.test:8443\(EndpointPath.token(tenant: fixture.tenant.id.rawValue))")
        let answer = try await device.send(form)
        #expect(answer.status == .ok, "\(answer.text)")
        #expect(await refusal(application, try answer.json.string(ReplyName.accessToken)) == .malformed)
    }

    @Test func `only clients that are registered for the administration get tokens for it`() async throws {
        let fixture = try await TestPlatform()
        let answer = try await fixture.client.get(
            AuthorizeQuery(fixture, ["scope": "\(TestApplication.resource)/.default"]).path)
        #expect(try answer.returned()[ParameterName.errorDescription]?.hasPrefix("AADSTS65001") == true)
        let without = try await TestPlatform { $0.names.administration = nil }
        let unknown = try await without.client.get(
            AuthorizeQuery(
                without,
                [
                    "client_id": AdministrationApp.clientID, "scope": "\(TestApplication.resource)/.default",
                    "redirect_uri": "http://127.0.0.1:1",
                ]
            ).path)
        #expect(try unknown.returned()[ParameterName.errorDescription]?.hasPrefix("AADSTS500011") == true)
    }

    @Test func `another client of the administration must name its permissions`() async throws {
        let fixture = try await TestPlatform()
        let clients = fixture.administration.clients
        let resource = ResourceCatalogue.administrationApplication
        for permissions in [[], ["Policy.Read.All"]] {
            await #expect(throws: (any Error).self, "\(permissions)") {
                _ = try await clients.add(
                    NewClient(
                        displayName: "Console", redirectURIs: ["http://127.0.0.1"], resources: [resource],
                        permissions: permissions), tenant: fixture.tenant)
            }
        }
        let client = try await clients.add(
            NewClient(
                displayName: "Console", redirectURIs: ["http://127.0.0.1"], resources: [resource],
                permissions: ["device.read.all"]), tenant: fixture.tenant)
        #expect(client.permissions == ["Device.Read.All"])
    }
}
