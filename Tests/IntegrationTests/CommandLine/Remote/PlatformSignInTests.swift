// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import Crypto
import DeviceHTTPS
import Foundation
import NIOHTTP1
import OAuth
import Redaction
import Synchronization
import TestSupport
import Testing

@testable import CommandLineInterface
@testable import baton_server

/// Sign-ins for administration with a real identity platform.
@Suite(.timeLimit(.minutes(10))) struct PlatformSignInTests {
    /// A server, and in front of its administration a port that names the server's login address.
    private struct Fixture {
        let server: ServerProcess
        let administration: ServerURL
        let web: WebClient
        let browser: PlatformBrowser
        let door: FakeServer
        /// The tokens that the administration got.
        let tokens: Tokens
        let scratch: Scratch

        final class Tokens: Sendable { let all = Mutex<[String]>([]) }

        static func with(_ body: (Fixture) async throws -> Void) async throws {
            try await Scratch.with { scratch in
                let authority = try DevelopmentAuthority(
                    in: try StateDirectory(path: scratch.path("door")), names: ["localhost"])
                let (answers, tokens) = (Answers(), Tokens())
                let door = try await FakeServer(authority) { answers.answer($0, tokens) }
                let server = try ServerProcess(
                    [
                        "names": [
                            "login": "login.test", "deviceRegistration": "drs.test", "graph": "graph.test",
                            "mdm": "mdm.test", "administration": "localhost",
                        ], "administrationPort": door.port,
                    ], in: scratch)
                try await server.start()
                _ = try server.create("tenants", ["displayName": "C", "domain": "c.test"])
                let user = ["userPrincipalName": "carol@c.test", "displayName": "Carol", "password": "long enough"]
                _ = try server.create("tenants/-/users", user)
                let administration = try ServerURL(administration: "https://localhost:\(door.port)")
                answers.set(own: administration.origin, login: "https://login.test:\(server.port)")
                let roots = try [scratch.path("door"), server.state].map { try textOfFile($0 + "/ca/root.pem") }
                let file = try scratch.write(roots.joined(separator: "\n"), to: "roots.pem")
                try await body(
                    Fixture(
                        server: server, administration: administration,
                        web: try WebClient(trusting: file, resolving: ["login.test": "127.0.0.1"]),
                        browser: try PlatformBrowser(port: server.port, roots: roots[1]), door: door, tokens: tokens,
                        scratch: scratch))
            }
        }

        /// A session that keeps its tokens in a file.
        func session(_ method: PersonSignIn.Method, now: @escaping @Sendable () -> Int = { WallClock.seconds }) -> AdminSession {
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

    /// The administration's own documents, and an answer to every call.
    private final class Answers: Sendable {
        private let addresses = Mutex((own: "", login: ""))

        func set(own: String, login: String) { addresses.withLock { $0 = (own, login) } }

        func answer(_ request: FakeServer.Request, _ tokens: Fixture.Tokens) -> FakeServer.Answer {
            let (own, login) = addresses.withLock(\.self)
            if request.path == "/.well-known/oauth-protected-resource" {
                return .json(
                    #"{"resource":"\#(own)","authorization_servers":["\#(login)/organizations/v2.0"],"scopes_supported":[]}"#)
            }
            tokens.all.withLock { $0 += request.headers["Authorization"] }
            return .json("[]")
        }
    }

    private func claims(_ header: String?) throws -> Members {
        try CompactJWS(String(try #require(header).dropFirst("Bearer ".count))).claims()
    }

    @Test(arguments: [PersonSignIn.Method.browser, .deviceCode])
    func `a person gets a token for the administration, refreshes it and revokes it`(
        method: PersonSignIn.Method
    ) async throws {
        try await Fixture.with { fixture in
            let presence = try await fixture.session(method).signIn()
            #expect(presence.person.userName == "carol@c.test" && presence.person.name == "Carol")

            let client = AdminClient(session: fixture.session(method))
            _ = try await client.call(IdentityAdmin.listUsers(["tenant": "-"]))
            let first = try claims(fixture.tokens.all.withLock(\.last))
            #expect(try first.string(ClaimName.audience) == fixture.administration.origin)
            #expect(try first.string(ClaimName.appID) == AdministrationApp.clientID || first[ClaimName.authorizedParty] != nil)
            #expect(try first.string(ClaimName.scopes).contains("User.Read.All"), "\(first)")

            // Two hours later the token has expired, and is renewed.
            let later = fixture.session(method, now: { WallClock.seconds + 7200 })
            _ = try await AdminClient(session: later).call(IdentityAdmin.listUsers(["tenant": "-"]))
            let second = try claims(fixture.tokens.all.withLock(\.last))
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
                keeping: .file(fixture.scratch.path("tokens")), now: { WallClock.seconds + 7200 })
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
            _ = try await AdminClient(session: try session("c.test")).call(IdentityAdmin.listUsers(["tenant": "-"]))
            let claims = try claims(fixture.tokens.all.withLock(\.last))
            #expect(try claims.strings(ClaimName.roles) == ["User.Read.All"])
            #expect(try claims.string(ClaimName.identityType) == "app" && claims[ClaimName.scopes] == nil)

            let unnamed = try session("other.test")
            let refusal = await #expect(throws: CommandFailure.self) { try await unnamed.accessToken() }
            #expect(refusal?.code == "sign_in_server" || refusal?.code == "sign_in_refused", "\(String(describing: refusal))")
        }
    }
}
