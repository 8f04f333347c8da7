// SPDX-License-Identifier: Apache-2.0
import Crypto
import CryptoExtras
import Foundation
import Glibc
import OAuth
import Synchronization
import TestSupport
import Testing

/// Scripts that administer with the key of an application (`private_key_jwt`).
@Suite(.timeLimit(.minutes(10))) struct ApplicationSignInTests {
    private static let client = "0b0b0b0b-0000-4000-8000-000000000001"

    private func script(_ admin: RemoteAdministrator, _ words: String..., key: String) -> [String] {
        words + ["--client-id", Self.client, "--key", key, "--tenant", "c.test", "--json"]
    }

    @Test(arguments: [true, false])
    func `a script proves with its key who it is, and keeps nothing`(isRSA: Bool) async throws {
        try await RemoteAdministrator.with { admin in
            let rsa = try _RSA.Signing.PrivateKey(keySize: .bits2048)
            let curve = P256.Signing.PrivateKey()
            let key = try admin.scratch.write(isRSA ? rsa.pemRepresentation : curve.pemRepresentation, to: "key.pem")
            for _ in 0..<2 {
                let run = try await admin.run(script(admin, "user", "list", key: key), tokenFile: false)
                #expect(run.code == 0 && run.output.contains("carol@c.test"), "\(run)")
            }
            let grants = admin.administration.state.withLock(\.grants)
            #expect(grants.count == 2)
            var ids: Set<String> = []
            for form in grants {
                #expect(form[ParameterName.grantType] == GrantType.clientCredentials.rawValue)
                #expect(form[ParameterName.scope] == "\(admin.url)/.default" && form[ParameterName.clientSecret] == nil)
                let assertion = try CompactJWS(try #require(form[ParameterName.clientAssertion]))
                try assertion.verify(with: isRSA ? .rsa(rsa.publicKey) : .p256(curve.publicKey))
                let claims = try assertion.claims()
                #expect(try claims.string(ClaimName.issuer) == Self.client)
                #expect(try claims.string(ClaimName.subject) == Self.client)
                #expect(try claims.string(ClaimName.audience) == "\(admin.url)/organizations/oauth2/v2.0/token")
                let (begin, end) = try (claims.integer(ClaimName.issuedAt), claims.integer(ClaimName.expiresAt))
                #expect((1...600).contains(end - begin))
                ids.insert(try claims.string(ClaimName.jwtID))
            }
            #expect(ids.count == 2)
            #expect(!FileManager.default.fileExists(atPath: admin.tokenFile))
        }
    }

    @Test func `a refused token and an old one are replaced once`() async throws {
        try await RemoteAdministrator.with { admin in
            let key = try admin.scratch.write(P256.Signing.PrivateKey().pemRepresentation, to: "key.pem")
            for code in ["admin.token", "admin.stepUp"] {
                let refusals = Countdown(1)
                admin.administration.state.withLock { state in
                    state.grants = []
                    state.answer = { request in
                        request.method == "DELETE" && refusals.take() ? .refusal(401, code) : nil
                    }
                }
                let run = try await admin.run(script(admin, "session", "revoke", "s", key: key), tokenFile: false)
                #expect(run.code == 0, "\(run)")
                #expect(admin.administration.state.withLock(\.grants.count) == 2)
            }
        }
    }

    @Test func `the client's refusal is explained`() async throws {
        try await RemoteAdministrator.with { admin in
            let key = try admin.scratch.write(P256.Signing.PrivateKey().pemRepresentation, to: "key.pem")
            admin.administration.state.withLock { state in
                state.answer = { request in
                    request.path.hasSuffix("/token")
                        ? .json(
                            #"{"error":"invalid_client","error_description":"AADSTS1: Key.\r\nTrace: x"}"#, status: 401)
                        : nil
                }
            }
            let run = try await admin.run(script(admin, "user", "list", key: key), tokenFile: false)
            let refusal = try CommandRun.Failure(run.errors).error
            #expect(refusal.code == "sign_in_refused" && refusal.message.hasSuffix("(invalid_client: AADSTS1: Key.)."))
        }
    }

    @Test(arguments: [
        (7_000_112, ["baton admin client enable"]), (700_016, ["--client-id", "baton admin client list"]),
        (5_000_645, ["baton admin client permission"]), (65001, ["baton admin client permission"]),
        (700_027, ["--key", "baton admin client key add"]),
    ])
    func `the remedy for a refused application fits the reason`(number: Int, parts: [String]) async throws {
        try await RemoteAdministrator.with { admin in
            let key = try admin.scratch.write(P256.Signing.PrivateKey().pemRepresentation, to: "key.pem")
            admin.administration.state.withLock { state in
                state.answer = { request in
                    request.path.hasSuffix("/token")
                        ? .json(
                            #"{"error":"unauthorized_client","error_description":"AADSTS\#(number): No.","error_codes":[\#(number)]}"#,
                            status: 400) : nil
                }
            }
            let run = try await admin.run(script(admin, "user", "list", key: key), tokenFile: false)
            let refusal = try CommandRun.Failure(run.errors).error
            #expect(refusal.code == "sign_in_refused" && parts.allSatisfy(refusal.remedy.contains), "\(refusal)")
        }
    }

    @Test func `only an unencrypted private key that nobody else may read is used`() async throws {
        try await RemoteAdministrator.with { admin in
            let good = P256.Signing.PrivateKey().pemRepresentation
            let (exposed, link) = (try admin.scratch.write(good, to: "exposed.pem"), admin.scratch.path("link.pem"))
            try #require(unsafe chmod(exposed, 0o644) == 0)
            try FileManager.default.createDirectory(
                atPath: admin.scratch.path("open"), withIntermediateDirectories: false)
            try #require(unsafe chmod(admin.scratch.path("open"), 0o777) == 0)
            try FileManager.default.createSymbolicLink(
                atPath: link, withDestinationPath: try admin.scratch.write(good, to: "good.pem"))
            let small = try await RunningProgram.start(
                "/usr/bin/openssl", ["genrsa", "1024"], log: "small.pem", awaitsReady: false, in: admin.scratch)
            try #require(try await small.waitForExit() == 0)
            let publicKey = P256.Signing.PrivateKey().publicKey.pemRepresentation
            for (key, code) in [
                (exposed, "key_file_unsafe"), (link, "key_file_unsafe"), ("/dev/null", "key_file_unsafe"),
                (try admin.scratch.write(good, to: "open/key.pem"), "key_file_unsafe"),
                (admin.scratch.path("none.pem"), "key_file_unreadable"),
                (try admin.scratch.write(publicKey, to: "public.pem"), "key_file_malformed"),
                (try admin.scratch.write("canary", to: "text.pem"), "key_file_malformed"),
                (small.logPath, "key_file_malformed"),
            ] {
                let run = try await admin.run(script(admin, "user", "list", key: key), tokenFile: false)
                #expect(try CommandRun.Failure(run.errors).error.code == code, "\(key): \(run)")
                #expect(!run.errors.contains("canary"))
            }
            #expect(admin.administration.state.withLock(\.grants.count) == 0)
        }
    }

    @Test(
        arguments: [
            ["user", "list", "--client-id", "x"], ["user", "list", "--key", "x"],
            ["user", "list", "--client-id", "x", "--key", "y", "--device-code"],
            ["sign-in", "--client-id", "x", "--key", "y"], ["sign-out", "--client-id", "x", "--key", "y"],
            ["whoami", "--client-id", "x", "--key", "y"],
        ])
    func `options that contradict each other are refused`(words: [String]) async throws {
        try await Scratch.with { scratch in
            let run = try await CommandRun(["admin"] + words, in: scratch)
            #expect(run.code == 64)
        }
    }

    @Test func `through the socket nobody signs in`() async throws {
        try await Scratch.with { scratch in
            for command in ["sign-in", "sign-out", "whoami"] {
                let run = try await CommandRun(["admin", command, "--json"], in: scratch)
                #expect(try CommandRun.Failure(run.errors).error.code == "url_missing")
            }
        }
    }
}
