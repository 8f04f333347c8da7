// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import AdminServer
import Foundation
import HTTPTypes
import Hummingbird
import IdentityPlatform
import OAuth
import Redaction
import Storage
import TestSupport
import Testing

@Suite struct AdminRoutesTests {
    private func admin(_ fixture: TestPlatform) -> TestClient<RouterResponder<AdminContext>> {
        let router = Router(context: AdminContext.self)
        router.add(middleware: FixedCaller(.localOperator(userID: nil)))
        AdminRoutes(fixture.platform).addRoutes(to: router)
        return TestClient(router.buildResponder())
    }

    @Test func `people can sign in to a tenant that was created over the socket`() async throws {
        let fixture = try await TestPlatform()
        let admin = admin(fixture)
        let tenant: IdentityAdmin.Tenant = try await admin.call(
            IdentityAdmin.addTenant, body: IdentityAdmin.NewTenant(displayName: "Fabrikam", domain: "Fabrikam.test"))
        #expect(tenant.domain == "fabrikam.test")
        #expect(tenant.issuer == "https://login.test:8443/\(tenant.id)/v2.0")
        let places = ["tenant": "fabrikam.test", "user": "zoë+1@fabrikam.test"]
        let refused = try await admin.send(IdentityAdmin.addUser, places, body: Self.user("zoë@fabrikam.test"))
        #expect(refused.status == .badRequest)
        let user: IdentityAdmin.User = try await admin.call(
            IdentityAdmin.addUser, places, body: Self.user("Zoe+1@fabrikam.test"))
        let role = ["tenant": tenant.id, "role": "Cloud Device Administrator", "user": "zoe+1@fabrikam.test"]
        #expect(try await admin.send(IdentityAdmin.assignRole, role).status == .noContent)
        let shown: IdentityAdmin.User = try await admin.call(
            IdentityAdmin.getUser, ["tenant": tenant.id, "user": user.id])
        #expect(shown.roles == ["Cloud Device Administrator"])
        let roles: [IdentityAdmin.Role] = try await admin.call(IdentityAdmin.listRoles, role)
        #expect(roles.first { $0.displayName == "Cloud Device Administrator" }?.members == ["Zoe+1@fabrikam.test"])
        #expect(try await admin.send(IdentityAdmin.unassignRole, role).status == .noContent)
        let clients: [IdentityAdmin.Client] = try await admin.call(IdentityAdmin.listClients, role)
        let graph = ResourceCatalogue.graphApplication.rawValue
        let registration = ResourceCatalogue.deviceRegistrationApplication.rawValue
        #expect(
            Dictionary(uniqueKeysWithValues: clients.map { ($0.id, $0.resources) }) == [
                WellKnownApplication.broker: [graph, registration], CommandLineApp.clientID: [graph],
                HomeScreenApp.clientID: [graph],
                AdministrationApp.clientID: [ResourceCatalogue.administrationApplication.rawValue],
            ])

        var query = AuthorizeQuery(fixture, ["client_id": clients[0].id])
        query.tenant = "fabrikam.test"
        let returned = try await Browser(fixture).signIn(
            query, username: "zoe+1@fabrikam.test", password: "long enough")
        #expect(returned[ParameterName.code] != nil)
    }

    @Test func `the branding is stored only if pages can show it`() async throws {
        let admin = admin(try await TestPlatform())
        let png = Data(TestImage.png)
        let good = IdentityAdmin.Branding(colour: "#0B5CAB", logo: png.base64EncodedString())
        #expect(try await admin.send(IdentityAdmin.setBranding, ["tenant": "-"], body: good).status == .noContent)
        #expect(try await admin.call(IdentityAdmin.getBranding, ["tenant": "-"]) as IdentityAdmin.Branding == good)
        let tooLarge = png + Data(repeating: 0, count: 256 << 10)
        let largest = IdentityAdmin.Branding(colour: nil, logo: tooLarge.prefix(256 << 10).base64EncodedString())
        for (branding, code) in [
            (IdentityAdmin.Branding(colour: "#ffffff", logo: nil), "identity.branding.colour"),
            (IdentityAdmin.Branding(colour: "#000;}*{}", logo: nil), "identity.branding.colour"),
            (IdentityAdmin.Branding(colour: nil, logo: "not Base64"), "identity.branding.logo"),
            (
                IdentityAdmin.Branding(colour: nil, logo: Data("<svg/>".utf8).base64EncodedString()),
                "identity.branding.logo"
            ),
            (IdentityAdmin.Branding(colour: nil, logo: tooLarge.base64EncodedString()), "identity.branding.logo"),
        ] {
            let answer = try await admin.send(IdentityAdmin.setBranding, ["tenant": "-"], body: branding)
            #expect(answer.status == .badRequest && answer.text.contains(code))
        }
        #expect(try await admin.call(IdentityAdmin.getBranding, ["tenant": "-"]) as IdentityAdmin.Branding == good)
        #expect(try await admin.send(IdentityAdmin.setBranding, ["tenant": "-"], body: largest).status == .noContent)
    }

    @Test(arguments: [
        ("http://evil.example/cb", "would get codes unencrypted"), ("https://*.example/cb", "has a *"),
        ("https://app.example/*", "has a *"), ("https://app.example/cb#x", "has a fragment"), ("/cb", "has no scheme"),
        ("app.example/cb", "has no scheme"), ("com.example.app:cb", "is not an address of a private scheme"),
        ("myapp:/cb", "is not an address of a private scheme"), ("https:/cb", "has no host"),
        ("https://", "has no host"), ("https://a b.example", "has a blank"),
        ("https://user@app.example/", "has a user name"), ("https://app.example:x/", "has a malformed host or port"),
        ("https://a,b.example/", "has a malformed host or port"), ("javascript:/x", "has a scheme that browsers"),
        ("https://app.example/" + String(repeating: "x", count: 2048), "is longer than"),
    ])
    func `an address that a client cannot have is refused, and the error says why`(
        uri: String, cause: String
    ) async throws {
        let fixture = try await TestPlatform()
        let admin = admin(fixture)
        for new in [
            IdentityAdmin.NewClient(displayName: "App", redirectURIs: ["https://app.example/cb", uri]),
            .init(displayName: "App", redirectURIs: [], postLogoutRedirectURIs: [uri]),
        ] {
            let answer = try await admin.send(IdentityAdmin.addClient, ["tenant": "-"], body: new)
            let failure = try JSONDecoder().decode(AdminFailure.self, from: Data(answer.body))
            #expect(answer.status == .badRequest && failure.error.code == "identity.client.redirect")
            #expect(failure.error.message.contains("The address \(uri.prefix(200)) \(cause)"), "\(failure.error)")
        }
    }

    @Test(arguments: [
        ("com.example.app:/oauth2redirect", false), ("msauth.com.example.app://auth", false),
        ("msal2f1c0a52-6f0e-4b1f-9f1c-8d2a4f3b7c10://auth", false), ("http://localhost", false),
        ("http://127.0.0.1:8080/cb", false), ("http://[::1]/cb", false), ("https://app.example:8443/cb?x=1", false),
        ("https://[2001:db8::1]/cb", false), ("myapp://cb", true),
    ])
    func `an address that a client can have is registered, with a warning if another app can take it`(
        uri: String, isWarned: Bool
    ) async throws {
        let fixture = try await TestPlatform()
        let new = IdentityAdmin.NewClient(displayName: "App", redirectURIs: [uri])
        let client: IdentityAdmin.Client = try await admin(fixture).call(
            IdentityAdmin.addClient, ["tenant": "-"], body: new)
        #expect(client.redirectURIs == [uri])
        #expect(client.warnings.isEmpty != isWarned)
        #expect(client.warnings.allSatisfy { $0.contains("myapp") })
    }

    @Test func `people are listed, get passwords and are removed`() async throws {
        let fixture = try await TestPlatform()
        let admin = admin(fixture)
        let users: [IdentityAdmin.User] = try await admin.call(IdentityAdmin.listUsers, ["tenant": "-"])
        #expect(users.map(\.userPrincipalName) == ["amara@contoso.test", "bo@contoso.test"])
        let amara = ["tenant": "-", "user": "AMARA@contoso.test"]
        let tokens = try await fixture.signedIn()
        let new = IdentityAdmin.NewPassword(password: Sensitive("brand new password"))
        #expect(try await admin.send(IdentityAdmin.setPassword, amara, body: new).status == .noContent)
        #expect(try await fixture.refresh(try tokens.string(ReplyName.refreshToken)).errorNumber == 70000)
        let change = IdentityAdmin.UserChange(accountEnabled: false)
        #expect(try await admin.send(IdentityAdmin.changeUser, amara, body: change).status == .noContent)
        let shown: IdentityAdmin.User = try await admin.call(IdentityAdmin.getUser, amara)
        #expect(!shown.accountEnabled)
        #expect(try await admin.send(IdentityAdmin.unlockUser, amara).status == .noContent)
        #expect(
            try await admin.send(IdentityAdmin.unlockUser, ["tenant": "-", "user": "x@contoso.test"]).failureCode
                == "identity.user.missing")
        #expect(try await admin.send(IdentityAdmin.changeUser, amara, text: "{}").failureCode == "identity.malformed")
        #expect(try await admin.send(IdentityAdmin.removeUser, amara).status == .noContent)
        #expect(try await admin.send(IdentityAdmin.getUser, amara).failureCode == "identity.user.missing")
        #expect(try await fixture.me(try tokens.string(ReplyName.accessToken)).status == .unauthorized)
    }

    @Test func `clients are registered and removed with all their tokens`() async throws {
        let fixture = try await TestPlatform()
        let admin = admin(fixture)
        let refresh = try await fixture.signedIn().string(ReplyName.refreshToken)
        let id = "0af3c2b1-0000-4000-8000-000000000001"
        let client: IdentityAdmin.Client = try await admin.call(
            IdentityAdmin.addClient, ["tenant": "-"],
            body: IdentityAdmin.NewClient(id: id.uppercased(), displayName: "New", redirectURIs: ["msauth.x://auth"]))
        #expect(client.id == id)
        #expect(client.resources == ["00000003-0000-0000-c000-000000000000"])
        let again = try await admin.send(
            IdentityAdmin.addClient, ["tenant": "-"],
            body: IdentityAdmin.NewClient(id: id, displayName: "New", redirectURIs: []))
        #expect(again.status == .conflict)
        let app = ["tenant": "-", "client": fixture.app.id.rawValue]
        #expect(try await admin.send(IdentityAdmin.removeClient, app).status == .noContent)
        #expect(try await admin.send(IdentityAdmin.removeClient, app).failureCode == "identity.client.missing")
        #expect(try await fixture.refresh(refresh).errorNumber == 700016)
    }

    @Test func `sessions are listed and ended, one session or all of a person`() async throws {
        let fixture = try await TestPlatform()
        let admin = admin(fixture)
        let tokens = [
            try await fixture.signedIn(), try await fixture.signedIn(), try await fixture.signedIn("bo@contoso.test"),
        ]
        let all: [IdentityAdmin.Session] = try await admin.call(IdentityAdmin.listSessions, ["tenant": "-"])
        #expect(all.count == 3 && all.allSatisfy { $0.begunAt == fixture.clock.now.rawValue })
        let path = IdentityAdmin.listSessions(["tenant": "-"], query: [("user", "BO@contoso.test")]).path
        let bo = try JSONDecoder().decode(
            [IdentityAdmin.Session].self, from: Data(try await admin.send(.get, path).body))
        #expect(bo.map(\.userPrincipalName) == ["bo@contoso.test"])
        let nobody = IdentityAdmin.listSessions(["tenant": "-"], query: [("user", "bob@contoso.test")]).path
        #expect(try await admin.send(.get, nobody).failureCode == "identity.user.missing")
        let session = ["tenant": "-", "session": try #require(bo.first?.id)]
        #expect(try await admin.send(IdentityAdmin.revokeSession, session).status == .noContent)
        #expect(try await admin.send(IdentityAdmin.revokeSession, session).status == .noContent)
        let nowhere = ["tenant": "-", "session": "0af3c2b1-0000-4000-8000-00000000dead"]
        #expect(try await admin.send(IdentityAdmin.revokeSession, nowhere).failureCode == "identity.session.missing")
        func statuses() async throws -> [HTTPResponse.Status] {
            var statuses: [HTTPResponse.Status] = []
            for token in tokens {
                statuses.append(try await fixture.me(try token.string(ReplyName.accessToken)).status)
            }
            return statuses
        }
        #expect(try await statuses() == [.ok, .ok, .unauthorized])
        let amara = ["tenant": "-", "user": "amara@contoso.test"]
        #expect(try await admin.send(IdentityAdmin.revokeUserSessions, amara).status == .noContent)
        #expect(try await statuses() == [.unauthorized, .unauthorized, .unauthorized])
        let left: [IdentityAdmin.Session] = try await admin.call(IdentityAdmin.listSessions, ["tenant": "-"])
        #expect(left.isEmpty)
    }

    @Test func `sessions are listed in pages, the newest first, and those of one person by their name`() async throws {
        let fixture = try await TestPlatform()
        let admin = admin(fixture)
        _ = try await fixture.signedIn()
        let (bo, now) = (fixture.bo, fixture.clock.now)
        try await fixture.platform.database.write { connection in
            for number in 1...1005 {
                let id = try #require(SessionID(rawValue: UUID().uuidString))
                _ = try Sessions(connection).begin(id, user: bo, methods: ["pwd"], at: now + .seconds(number))
            }
        }
        let largest = IdentityAdmin.listSessions(["tenant": "-"], query: [("limit", "1000")]).path
        let page = try JSONDecoder().decode(
            [IdentityAdmin.Session].self, from: Data(try await admin.send(.get, largest).body))
        #expect(page.map(\.begunAt) == (6...1005).reversed().map { now.rawValue + 1000 * Int64($0) })
        #expect(page.allSatisfy { $0.userPrincipalName == "bo@contoso.test" })
        let usual: [IdentityAdmin.Session] = try await admin.call(IdentityAdmin.listSessions, ["tenant": "-"])
        #expect(usual.map(\.id) == page.prefix(100).map(\.id))
        let path = IdentityAdmin.listSessions(["tenant": "-"], query: [("user", "amara@contoso.test")]).path
        let amara = try JSONDecoder().decode(
            [IdentityAdmin.Session].self, from: Data(try await admin.send(.get, path).body))
        #expect(amara.map(\.begunAt) == [now.rawValue])
    }

    @Test func `every action is in the audit log`() async throws {
        let fixture = try await TestPlatform()
        let admin = admin(fixture)
        _ = try await admin.send(IdentityAdmin.addUser, ["tenant": "-"], body: Self.user("cy@contoso.test"))
        _ = try await admin.send(
            IdentityAdmin.assignRole, ["tenant": "-", "role": "Global Administrator", "user": "cy@contoso.test"])
        let entries: [IdentityAdmin.AuditEntry] = try await admin.call(IdentityAdmin.listAuditEntries, ["tenant": "-"])
        #expect(
            entries.map(\.action)
                == ["tenant.add", "user.add", "user.add", "client.add", "user.add", "role.assign"])
        let positions = entries.map(\.position)
        #expect(positions == Set(positions).sorted())
        #expect(entries.allSatisfy { $0.actor == "operator" && !($0.subject ?? "").contains("@") })
    }

    @Test func `bad input has a code and a remedy`() async throws {
        let fixture = try await TestPlatform()
        let admin = admin(fixture)
        let here = ["tenant": "-"]
        #expect(
            try await admin.send(IdentityAdmin.listUsers, ["tenant": "nowhere.test"]).failureCode
                == "identity.tenant.missing")
        #expect(try await admin.send(IdentityAdmin.addUser, here, text: "{").failureCode == "identity.malformed")
        let large = try await admin.send(IdentityAdmin.addUser, here, text: String(repeating: " ", count: 70_000))
        #expect(try large.failureCode == "admin.tooLarge")
        let foreign = try await admin.send(IdentityAdmin.addUser, here, body: Self.user("x@other.test"))
        #expect(try foreign.failureCode == "identity.user.name")
        let taken = try await admin.send(IdentityAdmin.addUser, here, body: Self.user("BO@contoso.test"))
        #expect(try taken.failureCode == "identity.name.taken")
        #expect(
            try await admin.send(IdentityAdmin.addUser, here, body: Self.user("x@contoso.test", password: "short"))
                .failureCode
                == "identity.password.weak")
        let role = ["tenant": "-", "role": "King", "user": "bo@contoso.test"]
        #expect(try await admin.send(IdentityAdmin.assignRole, role).failureCode == "identity.role.missing")
        let bad = IdentityAdmin.NewClient(displayName: "x", redirectURIs: ["/relative"])
        #expect(
            try await admin.send(IdentityAdmin.addClient, here, body: bad).failureCode == "identity.client.redirect")
        let domain = IdentityAdmin.NewTenant(displayName: "x", domain: "no domain")
        #expect(
            try await admin.send(IdentityAdmin.addTenant, [:], body: domain).failureCode == "identity.domain.malformed")
    }

    private static func user(_ name: String, password: String = "long enough") -> IdentityAdmin.NewUser {
        IdentityAdmin.NewUser(userPrincipalName: name, displayName: "Somebody", password: Sensitive(password))
    }
}

extension TestClient {
    fileprivate func send<Body, Reply>(
        _ endpoint: Endpoint<Body, Reply>, _ places: [String: String] = [:],
        body: (some Encodable)? = String?.none, text: String? = nil
    ) async throws -> TestResponse {
        let encoded = try body.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
        let operation = endpoint.operation
        return try await send(operation.httpMethod, operation.path(places), body: text ?? encoded)
    }

    fileprivate func call<Body, Answer: Decodable>(
        _ endpoint: Endpoint<Body, Answer>, _ places: [String: String] = [:],
        body: (some Encodable)? = String?.none
    ) async throws -> Answer {
        let response = try await send(endpoint, places, body: body)
        #expect(response.status.kind == .successful, "\(response.text)")
        return try JSONDecoder().decode(Answer.self, from: Data(response.body))
    }
}

extension TestResponse {
    fileprivate var failureCode: String? {
        get throws { try JSONDecoder().decode(AdminFailure.self, from: Data(body)).error.code }
    }
}
