// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import OAuth
import Synchronization
import TestSupport
import Testing

/// The places that keep the sign-in of `baton admin`: a file, the keyring, or the memory of one command.
@Suite(.timeLimit(.minutes(10))) struct TokenStoreTests {
    // MARK: The file

    @Test(arguments: ["mode", "owner", "link", "name", "folder", "pipe", "content", "size"])
    func `a token file that others may read or replace is not used, and not replaced`(fault: String) async throws {
        try await RemoteAdministrator.with { admin in
            try await admin.done("sign-in")
            let (file, other) = (admin.tokenFile, admin.scratch.path("other"))
            let content = try Data(contentsOf: URL(filePath: file))
            var code = "token_file_unsafe"
            switch fault {
            case "mode": try Self.setMode(0o640, of: file)
            case "owner":
                try #require(
                    unsafe chown(file, 61203, 0) == 0, "giving a file to another user needs the right to do so")
            case "link":
                try FileManager.default.moveItem(atPath: file, toPath: other)
                try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: other)
            case "name": try FileManager.default.linkItem(atPath: file, toPath: other)
            case "pipe":
                try FileManager.default.removeItem(atPath: file)
                try #require(unsafe mkfifo(file, 0o600) == 0)
            case "folder": try Self.setMode(0o777, of: admin.scratch.path)
            case "content":
                try Data("{}".utf8).write(to: URL(filePath: file))
                code = "token_file_malformed"
            default:
                try Data(count: 1 << 17).write(to: URL(filePath: file))
                code = "token_file_unreadable"
            }
            for words in [["user", "list"], ["whoami"], ["sign-in"]] {
                let refusal = try await admin.refused(words)
                #expect(refusal.code == code, "\(words): \(refusal)")
            }
            if fault == "folder" { try Self.setMode(0o700, of: admin.scratch.path) }
            if ["mode", "owner", "name", "folder"].contains(fault) {
                #expect(try Data(contentsOf: URL(filePath: file)) == content)
            }
        }
    }

    private func revocations(_ admin: RemoteAdministrator) -> Int {
        admin.administration.state.withLock(\.grants).filter { $0[ParameterName.grantType] == nil }.count
    }

    @Test func `a sign-out ends the sign-in in a file that others may read, and removes it`() async throws {
        try await RemoteAdministrator.with { admin in
            try await admin.done("sign-in")
            try Self.setMode(0o644, of: admin.tokenFile)
            let refusal = try await admin.refused("user", "list")
            #expect(
                refusal.code == "token_file_unsafe" && refusal.remedy.contains("baton admin sign-out"), "\(refusal)")
            #expect(try await admin.done("sign-out") == "You are signed out.\n")
            #expect(revocations(admin) == 1 && !FileManager.default.fileExists(atPath: admin.tokenFile))
        }
    }

    @Test(arguments: ["mode", "link", "name", "folder"])
    func `a sign-out does not use a file that others may have written, and says how to end the session`(fault: String)
        async throws
    {
        try await RemoteAdministrator.with { admin in
            try await admin.done("sign-in")
            let (file, other) = (admin.tokenFile, admin.scratch.path("other"))
            switch fault {
            case "mode": try Self.setMode(0o620, of: file)
            case "link":
                try FileManager.default.moveItem(atPath: file, toPath: other)
                try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: other)
            case "name": try FileManager.default.linkItem(atPath: file, toPath: other)
            default: try Self.setMode(0o777, of: admin.scratch.path)
            }
            let refusal = try await admin.refused("sign-out")
            if fault == "folder" { try Self.setMode(0o700, of: admin.scratch.path) }
            #expect(refusal.code == "token_file_unsafe", "\(refusal)")
            #expect(refusal.remedy.contains("baton admin session revoke"), "\(refusal)")
            #expect(revocations(admin) == 0 && FileManager.default.fileExists(atPath: file))
        }
    }

    @Test func `tokens for one server are not sent to another one`() async throws {
        try await RemoteAdministrator.with { admin in
            try await admin.done("sign-in")
            try await RemoteAdministrator.with { other in
                let run = try await admin.run(["user", "list", "--json", "--url", other.url, "--ca", other.authority])
                let refusal = try CommandRun.Failure(run.errors).error
                #expect(refusal.code == "token_file_other" && refusal.message.contains(admin.url))
                #expect(other.administration.state.withLock(\.calls.count) == 0)
            }
        }
    }

    private static func setMode(_ mode: Int, of path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    // MARK: The keyring

    /// Runs `body` with the environment of a session that has a message bus and, if it is given, a keyring.
    ///
    /// - Parameter start: a command that prepares the keyring.
    private func withBus(
        _ start: String, _ body: (RemoteAdministrator, _ environment: String) async throws -> Void
    ) async throws {
        try await RemoteAdministrator.with { admin in
            let bus = try await MessageBus.start(in: admin.scratch)
            let environment =
                "export DBUS_SESSION_BUS_ADDRESS='\(bus)' XDG_DATA_HOME='\(admin.scratch.path("data"))'\n"
            let folder = "export HOME='\(admin.scratch.path)' XDG_RUNTIME_DIR='\(admin.scratch.path)'\n"
            let preparing = try await RunningProgram.start(
                "/bin/sh", ["-ec", folder + environment + start], log: "keyring", awaitsReady: false, in: admin.scratch)
            let code = try await preparing.waitForExit()
            let log = try preparing.log()
            try #require(code == 0, "\(log)")
            try await body(admin, environment)
        }
    }

    /// The keyring goes to the background once it is ready, and ends with the bus.
    private static let unlocked = "printf word | gnome-keyring-daemon --unlock --components=secrets >/dev/null\n"
    private static let locked =
        unlocked
        + "busctl --user call org.freedesktop.secrets /org/freedesktop/secrets org.freedesktop.Secret.Service Lock ao 1 "
        + "/org/freedesktop/secrets/collection/login >/dev/null\n"

    @Test func `the keyring keeps the tokens of each server, and no other place does`() async throws {
        try await withBus(Self.unlocked) { admin, environment in
            func run(_ words: String...) async throws -> CommandRun {
                try await admin.run(words, tokenFile: false, more: environment)
            }
            let signIn = try await run("sign-in")
            #expect(signIn.output == "carol@c.test is signed in. The tokens are in the keyring.\n", "\(signIn)")
            let list = try await run("user", "list")
            #expect(list.code == 0 && list.output.contains("carol@c.test"), "\(list)")
            // An expired token is renewed in the keyring.
            admin.administration.expireTokens()
            for _ in 0..<2 { #expect(try await run("user", "list").code == 0) }
            let grants = admin.administration.state.withLock(\.grants)
            #expect(grants.filter { $0[ParameterName.grantType] == GrantType.refreshToken.rawValue }.count == 1)
            #expect(try await run("whoami").output.contains("kept in    the keyring\n"))

            for name in try FileManager.default.subpathsOfDirectory(atPath: admin.scratch.path) {
                let content = FileManager.default.contents(atPath: admin.scratch.path(name)) ?? Data()
                #expect(content.firstRange(of: Data(FakeAdministration.token.utf8)) == nil, "a token is in \(name)")
            }
            #expect(try await run("sign-out").output == "You are signed out.\n")
            #expect(try await run("sign-out").output == "Nobody was signed in.\n")
            #expect(try await run("user", "list").code == 1)
        }
    }

    @Test(arguments: [("keyring_locked", true), ("keyring_missing", false)])
    func `a locked or missing keyring is explained before anybody signs in`(code: String, isLocked: Bool) async throws {
        try await withBus(isLocked ? Self.locked : "") { admin, environment in
            // Without an activatable service, the bus has no keyring.
            let environment = environment + (isLocked ? "" : "export DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent\n")
            let signIn = try await admin.run(["sign-in", "--json"], tokenFile: false, more: environment)
            let refusal = try CommandRun.Failure(signIn.errors).error
            #expect(refusal.code == code && refusal.remedy.contains("--token-file"), "\(signIn)")
            #expect(admin.administration.state.withLock(\.authorizations.count) == 0)
            let list = try await admin.run(["user", "list", "--json"], tokenFile: false, more: environment)
            let required = try CommandRun.Failure(list.errors).error
            #expect(
                required.code == code && required.message.contains("not known whether there is a sign-in"), "\(list)")
            #expect(
                required.remedy.contains("--client-id") && required.remedy.contains("baton admin sign-in"), "\(list)")
            let who = try await admin.run(["whoami", "--json"], tokenFile: false, more: environment)
            #expect(try CommandRun.Failure(who.errors).error.code == code, "\(who)")
            let signOut = try await admin.run(["sign-out", "--json"], tokenFile: false, more: environment)
            let unknown = try CommandRun.Failure(signOut.errors).error
            #expect(unknown.code == code && unknown.message.contains("not known whether there is a sign-in"))
            #expect(unknown.remedy.contains("--token-file with which you signed in"), "\(unknown)")
        }
    }

    @Test func `without a keyring, a command at a terminal signs in for itself only, and says so`() async throws {
        try await RemoteAdministrator.with { admin in
            for count in 1...2 {
                let run = try await admin.run(atTerminal: "user", "show", FakeAdministration.person, tokenFile: false)
                #expect(run.code == 0 && run.output.contains("Each command signs in anew."), "\(run)")
                // The command makes two calls with one sign-in, which does not outlive it.
                let (authorizations, grants) = admin.administration.state.withLock { ($0.authorizations, $0.grants) }
                #expect(authorizations.count == count)
                #expect(grants.filter { $0[ParameterName.grantType] == nil }.count == count, "\(grants.count)")
            }
        }
    }
}
