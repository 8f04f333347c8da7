// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import OAuth
import Synchronization
import TestSupport
import Testing

/// `baton admin sign-in`, `whoami` and `sign-out`, and the sign-in that later commands use.
@Suite(.timeLimit(.minutes(10))) struct SignInCommandTests {
    private struct SignedIn: Decodable { let userName: String, tenantID: String, objectID: String, keptIn: String }

    @Test func `a person signs in with the browser once, for all later commands, until they sign out`() async throws {
        try await RemoteAdministrator.with { admin in
            let said = try await admin.done("sign-in")
            #expect(said == "carol@c.test is signed in. The tokens are in the file \(admin.tokenFile).\n")
            let asked = try #require(admin.administration.state.withLock(\.authorizations).first)
            #expect(asked[ParameterName.clientID] == AdministrationApp.clientID)
            #expect(asked[ParameterName.codeChallengeMethod] == "S256" && asked[ParameterName.prompt] == "login")
            #expect((asked[ParameterName.state] ?? "").count == 43 && (asked[ParameterName.nonce] ?? "").count == 43)
            #expect(asked[ParameterName.state] != asked[ParameterName.nonce])
            #expect(asked[ParameterName.scope] == "\(admin.url)/.default openid profile offline_access")
            let redirect = try #require(asked[ParameterName.redirectURI])
            #expect(redirect.wholeMatch(of: /http:\/\/127\.0\.0\.1:\d+/) != nil)
            // Other users of the machine can read the browser's arguments.
            let proof = admin.administration.state.withLock(\.grants).first?[ParameterName.codeVerifier]
            #expect(try #require(proof).count == 43 && !asked.encoded.contains(try #require(proof)))

            let facts = try FileManager.default.attributesOfItem(atPath: admin.tokenFile)
            #expect(facts[.posixPermissions] as? Int == 0o600)
            #expect(try await admin.done("user", "list").contains("carol@c.test"))
            let who = try await admin.done("whoami")
            #expect(who.contains("user name  carol@c.test\n") && who.contains("roles      Global Reader\n"))
            #expect(admin.administration.state.withLock(\.authorizations.count) == 1)

            #expect(try await admin.done("sign-out") == "You are signed out.\n")
            #expect(!FileManager.default.fileExists(atPath: admin.tokenFile))
            let revoked = admin.administration.state.withLock(\.grants).last
            #expect(revoked?[ParameterName.token]?.hasPrefix(FakeAdministration.token) == true)
            #expect(try await admin.done("sign-out") == "Nobody was signed in.\n")
            for command in [["user", "list"], ["whoami"]] {
                let refusal = try await admin.refused(command)
                #expect(refusal.code == "sign_in_required")
                #expect(refusal.remedy.contains("baton admin sign-in --url \(admin.url)"))
            }
            #expect(admin.administration.state.withLock(\.authorizations.count) == 1)
        }
    }

    @Test func `without a screen, a person signs in with a code`() async throws {
        try await RemoteAdministrator.with { admin in
            admin.administration.state.withLock { $0.pending = 2 }
            let run = try await admin.run(["sign-in"], screen: false)
            #expect(run.code == 0 && run.output.hasPrefix("carol@c.test is signed in."), "\(run)")
            #expect(run.errors.contains("no screen") && run.errors.contains("enter the code ABCD-EFGH"), "\(run)")
            #expect(run.errors.contains("open \(admin.url)/device "), "\(run)")
            #expect(admin.administration.state.withLock(\.authorizations.count) == 0)
            #expect(try await admin.done("user", "list").contains("carol@c.test"))
        }
    }

    @Test func `with a screen, a code is used if the person wants it, and JSON says what to do`() async throws {
        try await RemoteAdministrator.with { admin in
            struct Instruction: Decodable { let signIn: Parts }
            struct Parts: Decodable { let address: String, code: String? }
            for (words, code) in [(["--device-code"], "ABCD-EFGH"), ([], nil)] {
                let run = try await admin.run(["sign-in", "--json"] + words)
                let lines = run.output.split(separator: "\n")
                try #require(run.code == 0 && run.errors.isEmpty && lines.count == 2, "\(run)")
                let instruction = try JSONDecoder().decode(Instruction.self, from: Data(lines[0].utf8)).signIn
                #expect(instruction.code == code && instruction.address.hasPrefix(admin.url))
                let signedIn = try JSONDecoder().decode(SignedIn.self, from: Data(lines[1].utf8))
                #expect(signedIn.userName == "carol@c.test" && signedIn.keptIn.contains(admin.tokenFile))
                #expect(signedIn.tenantID == FakeAdministration.tenant)
            }
        }
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `a signal ends a sign-in that waits for the person, and nothing is kept`(signal: Int32) async throws {
        try await RemoteAdministrator.with { admin in
            admin.administration.state.withLock { $0.pending = .max }
            let (program, errors) = try await admin.start(["sign-in", "--json"])
            for await _ in admin.administration.polls { break }
            program.send(signal)
            #expect(try await program.waitForExit() == 128 + signal)
            #expect(try CommandRun.Failure(textOfFile(errors)).error.code == "sign_in_interrupted")
            #expect(!FileManager.default.fileExists(atPath: admin.tokenFile))
        }
    }

    @Test func `expired tokens are renewed once, however many commands run at the same time`() async throws {
        try await RemoteAdministrator.with { admin in
            admin.administration.state.withLock { $0.lifetime = 30 }
            try await admin.done("sign-in")
            admin.administration.state.withLock { $0.lifetime = 3600 }
            let codes = try await withThrowingTaskGroup(of: Int32.self) { group in
                for _ in 0..<6 { group.addTask { try await admin.run(["user", "list"]).code } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(codes == [0, 0, 0, 0, 0, 0])
            let (grants, isReused) = admin.administration.state.withLock { ($0.grants, $0.isRefreshTokenReused) }
            let renewals = grants.filter { $0[ParameterName.grantType] == GrantType.refreshToken.rawValue }
            #expect(renewals.count == 1 && !isReused)
            try await admin.done("user", "list")
        }
    }

    @Test func `a token that the administration refuses is renewed once; then the refusal is shown`() async throws {
        try await RemoteAdministrator.with { admin in
            try await admin.done("sign-in")
            admin.administration.expireTokens()
            try await admin.done("user", "list")
            admin.administration.state.withLock { state in
                state.answer = { $0.path.hasSuffix("/users") ? .refusal(401, "admin.token") : nil }
            }
            #expect(try await admin.refused("user", "list").code == "admin.token")
            let grants = admin.administration.state.withLock(\.grants)
            #expect(grants.filter { $0[ParameterName.grantType] == GrantType.refreshToken.rawValue }.count == 2)
        }
    }

    @Test func `a sign-in that the server has ended is forgotten`() async throws {
        try await RemoteAdministrator.with { admin in
            try await admin.done("sign-in")
            admin.administration.expireTokens()
            admin.administration.state.withLock { state in
                state.answer = { request in
                    request.body.contains("refresh_token")
                        ? .json(#"{"error":"invalid_grant","error_description":"Ended."}"#, status: 400) : nil
                }
            }
            #expect(try await admin.refused("user", "list").code == "sign_in_required")
            #expect(!FileManager.default.fileExists(atPath: admin.tokenFile))
        }
    }

    @Test func `a server that does not answer while tokens are renewed does not end the sign-in`() async throws {
        try await RemoteAdministrator.with { admin in
            try await admin.done("sign-in")
            admin.administration.expireTokens()
            admin.administration.state.withLock { state in
                state.answer = { $0.path.hasSuffix("/token") ? .dropped : nil }
            }
            let refusal = try await admin.refused(["user", "list"], code: 69)
            #expect(refusal.code == "server_connection_lost")
            admin.administration.state.withLock { $0.answer = { _ in nil } }
            try await admin.done("user", "list")
        }
    }

    @Test func `a sign-out removes the tokens even if the server cannot revoke them, and says so`() async throws {
        try await RemoteAdministrator.with { admin in
            try await admin.done("sign-in")
            admin.administration.state.withLock { state in
                state.answer = { $0.path.hasSuffix("/revoke") ? .reply(500, [], "") : nil }
            }
            #expect(try await admin.refused("sign-out").code == "revocation_failed")
            #expect(!FileManager.default.fileExists(atPath: admin.tokenFile))
        }
    }

    // MARK: Refusals

    /// Changes of the server's documents and tokens, with the code of the refusal and a part of its message.
    private static let faults: [(change: (String, String), code: String, part: String)] = [
        (("resource", "https://other.test"), "server_not_administration", "another address"),
        (("authorization_servers", "http://localhost/v2.0"), "sign_in_server", "https"),
        (("token_endpoint", "https://evil.test/token"), "sign_in_server", "another server"),
        (("authorization_endpoint", "https://evil.test/authorize"), "sign_in_server", "another server"),
        (("issuer", "https://evil.test/v2.0"), "sign_in_server", "incomplete"),
        (("code_challenge_methods_supported", "plain"), "sign_in_server", "PKCE"),
        (("error", "access_denied"), "sign_in_refused", "access_denied: No\\u{1b}[31m"),
        (("response_iss", "https://evil.test/v2.0"), "sign_in_server", "another server"),
        (("response_iss", ""), "sign_in_server", "contains no code"),
        (("response_iss", "{origin}/0a0a0a0a-0000-4000-8000-000000000009/v2.0"), "sign_in_server", "another server"),
        (("iss", "https://evil.test/v2.0"), "sign_in_server", "not for this sign-in"),
        (("aud", "another-client"), "sign_in_server", "not for this sign-in"),
        (("nonce", "another-nonce"), "sign_in_server", "not for this sign-in"),
        (("exp", "1"), "sign_in_server", "expired"),
        (("token_type", "mac"), "sign_in_server", "no usable token"),
    ]

    /// Where the faults begin that only the tokens show.
    private static let faultsOfTokens = 9

    @Test(arguments: faults.indices)
    func `a sign-in with a server that is wrong or lies is refused, and nothing is kept`(index: Int) async throws {
        let fault = Self.faults[index]
        try await RemoteAdministrator.with { admin in
            admin.administration.state.withLock { $0.changes = [fault.change.0: fault.change.1] }
            let run = try await admin.run(["sign-in", "--json"])
            #expect(run.code == 1)
            let refusal = try CommandRun.Failure(run.errors).error
            #expect(refusal.code == fault.code && refusal.message.contains(fault.part), "\(refusal)")
            #expect(!FileManager.default.fileExists(atPath: admin.tokenFile))
            // A code is sent to no token endpoint before its issuer is known to be the server's own, and tokens that are not
            // used are revoked.
            let grants = admin.administration.state.withLock(\.grants)
            #expect(!grants.isEmpty == (index >= Self.faultsOfTokens))
            let isIssued = index >= Self.faultsOfTokens && fault.change.0 != "token_type"
            #expect(grants.filter { $0[ParameterName.grantType] == nil }.count == (isIssued ? 1 : 0), "\(fault)")
        }
    }

    @Test(arguments: [("authorization_declined", "sign_in_refused"), ("expired_token", "sign_in_timeout")])
    func `a code that is refused or expires ends the sign-in`(error: String, code: String) async throws {
        try await RemoteAdministrator.with { admin in
            admin.administration.state.withLock { $0.changes = ["error": error] }
            let run = try await admin.run(["sign-in", "--device-code", "--json"])
            #expect(run.code == 1)
            #expect(try CommandRun.Failure(run.errors).error.code == code)
        }
    }

    /// Answers of a host that is no administration.
    private static let strangers: [FakeServer.Answer] = [
        .reply(404, [], ""), .reply(302, [("Location", "https://evil.test/")], ""),
        .reply(200, [("Content-Type", "text/html")], #"{"resource":"x"}"#), .json("[]"), .json("{"), .endless, .broken,
        .dropped,
    ]

    @Test(arguments: strangers.indices)
    func `a host that is no administration is not signed in to`(index: Int) async throws {
        try await RemoteAdministrator.with { admin in
            admin.administration.state.withLock { $0.answer = { _ in Self.strangers[index] } }
            let refusal = try await CommandRun.Failure(admin.run(["sign-in", "--json"]).errors).error
            let codes = ["server_not_administration", "server_reply_large", "server_connection_lost"]
            #expect(codes.contains(refusal.code), "\(refusal)")
        }
    }
}
