// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import Crypto
import Foundation
import OAuth
import Processes
import Redaction
import TestSupport
import Testing

@testable import CommandLineInterface

/// Sign-ins for administration with a real identity platform.
@Suite(.timeLimit(.minutes(10))) struct PlatformSignInTests {
    /// A server with its listeners for people and for administrators.
    private struct Fixture {
        let server: ServerProcess
        let administration: ServerURL
        let web: WebClient
        let browser: PlatformBrowser
        let scratch: Scratch

        static func with(_ body: (Fixture) async throws -> Void) async throws {
            try await Scratch.with { scratch in
                let port = Int(try #require(FreePort.tcp(in: FreePort.ofTests)))
                let names = [
                    "login": "login.test", "deviceRegistration": "drs.test", "graph": "graph.test", "mdm": "mdm.test",
                    "administration": "admin.test",
                ]
                let server = try ServerProcess(["names": names, "administrationPort": port], in: scratch)
                try await server.start()
                _ = try server.create("tenants", ["displayName": "C", "domain": "c.test"])
                let user = ["userPrincipalName": "carol@c.test", "displayName": "Carol", "password": "long enough"]
                _ = try server.create("tenants/-/users", user)
                let role = "/identity/tenants/-/roles/Global%20Reader/members/carol%40c.test"
                try #require(try server.administer("PUT", role).status == 204)
                try await body(
                    Fixture(
                        server: server, administration: try ServerURL(administration: "https://admin.test:\(port)"),
                        web: try WebClient(
                            trusting: server.state + "/ca/root.pem",
                            resolving: ["login.test": "127.0.0.1", "admin.test": "127.0.0.1"]),
                        browser: try PlatformBrowser(at: "login.test", server), scratch: scratch))
            }
        }

        /// A session that keeps its tokens in a file.
        func session(
            _ method: PersonSignIn.Method, now: @escaping @Sendable () -> Int = { WallClock.seconds }
        ) -> AdminSession {
            let browser = browser
            let signIn = PersonSignIn(by: method, now: now, open: { await browser.open($0) }) { instruction in
                guard case .enter(let code, let address) = instruction else { return }
                Task { await browser.enter(code, at: address) }
            }
            return AdminSession(
                at: administration, through: web, as: .person(signIn), tenant: nil,
                keeping: .file(scratch.path("tokens")), now: now)
        }
    }

    private func claims(_ token: Sensitive<String>) throws -> Members { try CompactJWS(token.exposed).claims() }

    @Test(arguments: [PersonSignIn.Method.browser, .deviceCode])
    func `a person gets a token for the administration, refreshes it and revokes it`(
        method: PersonSignIn.Method
    ) async throws {
        try await Fixture.with { fixture in
            let presence = try await fixture.session(method).signIn()
            #expect(presence.person.userName == "carol@c.test" && presence.person.name == "Carol")

            let session = fixture.session(method)
            let users = try await AdminClient(session: session).call(IdentityAdmin.listUsers(["tenant": "-"]))
            #expect(users.map(\.userPrincipalName) == ["carol@c.test"])
            let first = try claims(try await session.accessToken())
            #expect(try first.string(ClaimName.audience) == fixture.administration.origin)
            #expect(try first.string(ClaimName.authorizedParty) == AdministrationApp.clientID)
            #expect(try first.string(ClaimName.scopes).contains("User.Read.All"), "\(first)")

            // To a client whose clock is two hours ahead the token has expired, so it is renewed.
            let later = fixture.session(method, now: { WallClock.seconds + 7200 })
            let second = try claims(try await later.accessToken())
            #expect(try first.string(ClaimName.tokenID) != second.string(ClaimName.tokenID))

            let copy = try Data(contentsOf: URL(filePath: fixture.scratch.path("tokens")))
            #expect(try await later.signOut())
            #expect(try await !later.signOut())
            // The server has revoked the tokens, wherever a copy of them is.
            try copy.write(to: URL(filePath: fixture.scratch.path("tokens")))
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600], ofItemAtPath: fixture.scratch.path("tokens"))
            let stolen = AdminSession(
                at: fixture.administration, through: fixture.web, as: .person(nil), tenant: nil,
                keeping: .file(fixture.scratch.path("tokens")), now: { WallClock.seconds + 14_400 })
            let refusal = await #expect(throws: CommandFailure.self) { try await stolen.accessToken() }
            #expect(refusal?.code == "sign_in_required")
        }
    }

    @Test func `a step-up asks for the password again, unless the person has just given it`() async throws {
        try await Fixture.with { fixture in
            let session = fixture.session(.browser)
            _ = try await session.accessToken()
            #expect(fixture.browser.passwords == 1)
            _ = try await session.steppedUp(within: 300)
            #expect(fixture.browser.passwords == 1)
            _ = try await session.steppedUp(within: 0)
            #expect(fixture.browser.passwords == 2)
            _ = try await session.signIn()
            #expect(fixture.browser.passwords == 3)
        }
    }

    @Test func `a new sign-in at the same place ends the former one at the server`() async throws {
        try await Fixture.with { fixture in
            let tokens = URL(filePath: fixture.scratch.path("tokens"))
            _ = try await fixture.session(.browser).signIn()
            let former = try Data(contentsOf: tokens)
            _ = try await fixture.session(.browser).signIn()
            _ = try await fixture.session(.browser).steppedUp(within: 300)
            // To a client whose clock is two hours ahead the token has expired, so it is renewed.
            func renewed() async throws -> Sensitive<String> {
                try await AdminSession(
                    at: fixture.administration, through: fixture.web, as: .person(nil), tenant: nil,
                    keeping: .file(tokens.path), now: { WallClock.seconds + 7200 }
                ).accessToken()
            }
            _ = try await renewed()
            try former.write(to: tokens)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: tokens.path)
            let refusal = await #expect(throws: CommandFailure.self) { try await renewed() }
            #expect(refusal?.code == "sign_in_required")
        }
    }

    @Test func `with several tenants, a sign-in with a code is told to name one`() async throws {
        try await Fixture.with { fixture in
            _ = try fixture.server.create("tenants", ["displayName": "D", "domain": "d.test"])
            let session = fixture.session(.deviceCode)
            let refusal = await #expect(throws: CommandFailure.self) { try await session.signIn() }
            #expect(refusal?.code == "tenant_unnamed", "\(String(describing: refusal))")
        }
    }

    @Test func `a script gets a token with the key that an administrator has registered`() async throws {
        try await Fixture.with { fixture in
            let key = P256.Signing.PrivateKey()
            let file = try fixture.scratch.write(key.pemRepresentation, to: "key.pem")
            let script = try fixture.server.create(
                "tenants/-/clients", ["displayName": "Script", "isConfidential": true, "redirectURIs": [String]()])
            let keys = "tenants/-/clients/\(script)/keys"
            _ = try fixture.server.create(keys, ["name": "k", "publicKey": key.publicKey.pemRepresentation])
            let grant = "/identity/tenants/-/clients/\(script)/application-permissions/User.Read.All"
            #expect(try fixture.server.administer("PUT", grant).status == 204)
            func session(_ tenant: String?) throws -> AdminSession {
                AdminSession(
                    at: fixture.administration, through: fixture.web,
                    as: .application(try ApplicationSignIn(clientID: script, key: file)), tenant: tenant,
                    keeping: .keyring)
            }
            let known = try session("c.test")
            let users = try await AdminClient(session: known).call(IdentityAdmin.listUsers(["tenant": "-"]))
            #expect(users.map(\.userPrincipalName) == ["carol@c.test"])
            let claims = try claims(try await known.accessToken())
            #expect(try claims.strings(ClaimName.roles) == ["User.Read.All"])
            #expect(try claims.string(ClaimName.identityType) == "app" && claims[ClaimName.scopes] == nil)

            let other = try session("other.test")
            let refusal = await #expect(throws: CommandFailure.self) { try await other.accessToken() }
            #expect(refusal?.code == "tenant_missing", "\(String(describing: refusal))")
        }
    }
}
