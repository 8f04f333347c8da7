// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import OAuth
import Synchronization
import TestSupport
import Testing

/// What a sign-in does with the place for its tokens, and with the tokens that were there.
@Suite(.timeLimit(.minutes(10))) struct SignInPlaceTests {
    private struct Kept: Decodable { let refreshToken: String }

    private func refreshToken(_ admin: RemoteAdministrator) throws -> String {
        try JSONDecoder().decode(Kept.self, from: Data(contentsOf: URL(filePath: admin.tokenFile))).refreshToken
    }

    /// The tokens that were revoked, in this order.
    private func revoked(_ admin: RemoteAdministrator) -> [String] {
        admin.administration.state.withLock(\.grants).filter { $0[ParameterName.grantType] == nil }
            .compactMap { $0[ParameterName.token] }
    }

    @Test(arguments: ["folder", "missing", "link", "lock"])
    func `a place that cannot keep the tokens is found before anybody signs in`(fault: String) async throws {
        try await RemoteAdministrator.with { admin in
            let (folder, files) = (admin.scratch.path("place"), FileManager.default)
            try files.createDirectory(atPath: folder, withIntermediateDirectories: false)
            try #require(unsafe chmod(folder, 0o700) == 0)
            let code: String
            switch fault {
            case "folder":
                try #require(unsafe chmod(folder, 0o777) == 0)
                code = "token_file_unsafe"
            case "missing":
                try files.removeItem(atPath: folder)
                code = "token_file_unreadable"
            case "link":
                try files.createSymbolicLink(atPath: folder + "/tokens.lock", withDestinationPath: "/dev/null")
                code = "sign_in_lock_unsafe"
            default:
                try files.createDirectory(atPath: folder + "/tokens.lock", withIntermediateDirectories: false)
                code = "sign_in_lock_unreadable"
            }
            let file = ["--token-file", folder + "/tokens"]
            let run = try await admin.run(["sign-in", "--json"] + file, tokenFile: false)
            #expect(run.code == 1, "\(run)")
            #expect(try CommandRun.Failure(run.errors).error.code == code, "\(run)")
            let (asked, grants) = admin.administration.state.withLock { ($0.authorizations.count, $0.grants.count) }
            #expect(asked == 0 && grants == 0)
        }
    }

    @Test(arguments: [true, false])
    func `a sign-in that cannot be kept is revoked at the server, or this is said`(isRevoked: Bool) async throws {
        try await RemoteAdministrator.with { admin in
            let folder = admin.scratch.path
            admin.administration.state.withLock { state in
                state.answer = { request in
                    if request.path.hasSuffix("/token") { _ = unsafe chmod(folder, 0o777) }
                    return request.path.hasSuffix("/revoke") && !isRevoked ? .reply(500, [], "") : nil
                }
            }
            let refusal = try await admin.refused("sign-in")
            try #require(unsafe chmod(folder, 0o700) == 0)
            #expect(refusal.code == "token_file_unsafe", "\(refusal)")
            #expect(refusal.remedy.contains("end the session of the new sign-in") == !isRevoked, "\(refusal)")
            #expect(revoked(admin).count == (isRevoked ? 1 : 0))
            #expect(!FileManager.default.fileExists(atPath: admin.tokenFile))
        }
    }

    /// Lines for the shell that let no file grow to the size of the tokens, as a full disk does.
    private static let full = "trap '' XFSZ\nulimit -f 4\n"

    @Test func `a full disk is found before anybody signs in`() async throws {
        try await RemoteAdministrator.with { admin in
            let run = try await admin.run(["sign-in", "--json"], more: Self.full)
            let refusal = try CommandRun.Failure(run.errors).error
            #expect(run.code == 1 && refusal.code == "token_file_unreadable", "\(run)")
            #expect(refusal.remedy.contains("disk has room"), "\(refusal)")
            let (asked, grants) = admin.administration.state.withLock { ($0.authorizations.count, $0.grants.count) }
            #expect(asked == 0 && grants == 0)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: admin.scratch.path).allSatisfy {
                    !$0.hasPrefix("tokens.") || $0 == "tokens.lock"
                })
        }
    }

    @Test func `a full disk is found before the tokens are renewed, so that the sign-in is not lost`() async throws {
        try await RemoteAdministrator.with { admin in
            admin.administration.state.withLock { $0.lifetime = 1 }
            try await admin.done("sign-in")
            let token = try refreshToken(admin)
            let run = try await admin.run(["user", "list", "--json"], more: Self.full)
            #expect(try CommandRun.Failure(run.errors).error.code == "token_file_unreadable", "\(run)")
            #expect(try refreshToken(admin) == token)
            try await admin.done("user", "list")
        }
    }

    @Test func `a new sign-in at the same place revokes the former one, after the new one is kept`() async throws {
        try await RemoteAdministrator.with { admin in
            try await admin.done("sign-in")
            let former = try refreshToken(admin)
            #expect(revoked(admin).isEmpty)
            try await admin.done("sign-in")
            let present = try refreshToken(admin)
            #expect(revoked(admin) == [former] && former != present)
            try await admin.done("user", "list")
        }
    }

    @Test func `a former sign-in that the server does not revoke is reported, and the new one is kept`() async throws {
        try await RemoteAdministrator.with { admin in
            try await admin.done("sign-in")
            admin.administration.state.withLock { state in
                state.answer = { $0.path.hasSuffix("/revoke") ? .reply(500, [], "") : nil }
            }
            let plain = try await admin.run(["sign-in"])
            #expect(plain.code == 0 && plain.output.contains("carol@c.test is signed in."), "\(plain)")
            #expect(
                plain.errors.contains("warning: The former sign-in is not revoked")
                    && plain.errors.contains("baton admin session revoke"), "\(plain)")
            let json = try await admin.run(["sign-in", "--json"])
            #expect(json.code == 0 && json.errors.isEmpty, "\(json)")
            #expect(json.output.contains(#""warnings":["The former sign-in is not revoked"#), "\(json)")
            try await admin.done("user", "list")
        }
    }
}
