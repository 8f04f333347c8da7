// SPDX-License-Identifier: Apache-2.0
import Foundation
import NIOHTTP1
import OAuth
import Synchronization
import TestSupport
import Testing

@testable import CommandLineInterface
@testable import baton_server

/// The requests of `baton admin` over HTTPS.
@Suite(.timeLimit(.minutes(10))) struct RemoteCallTests {
    private func signedIn(_ body: (RemoteAdministrator) async throws -> Void) async throws {
        try await RemoteAdministrator.with { admin in
            try await admin.done("sign-in")
            try await body(admin)
        }
    }

    private func answering(
        _ admin: RemoteAdministrator, _ answer: @escaping @Sendable (FakeServer.Request) -> FakeServer.Answer?
    ) {
        admin.administration.state.withLock { ($0.answer, $0.calls) = (answer, []) }
    }

    private func calls(_ admin: RemoteAdministrator) -> [FakeServer.Request] {
        admin.administration.state.withLock(\.calls)
    }

    // MARK: The address and the certificate

    @Test func `only an https address with a trusted certificate for its host is used`() async throws {
        try await RemoteAdministrator.with { admin in
            let plain = try await FakeServer(nil) { _ in .reply(200, [], "") }
            let other = try DevelopmentAuthority(
                in: try StateDirectory(path: admin.scratch.path("other")), names: ["localhost"])
            let stranger = try await FakeServer(other) { _ in .reply(200, [], "") }
            let own = try DevelopmentAuthority(
                in: try StateDirectory(path: admin.scratch.path("third")), names: ["localhost"])
            let elsewhere = try await FakeServer(own, at: "127.0.0.2") { _ in .reply(200, [], "") }
            let port = try #require(URL(string: admin.url)?.port)
            let faults: [([String], String, Int32)] = [
                (["--url", "http://localhost:\(port)"], "url_not_https", 1),
                (["--url", "localhost:\(port)"], "url_not_https", 1),
                (["--url", admin.url + "/admin"], "url_malformed", 1),
                (["--url", "https://carol@localhost:\(port)"], "url_malformed", 1),
                (["--url", "https://localhost:0"], "url_malformed", 1),
                (["--ca", "/nonexistent"], "ca_unreadable", 1),
                (["--ca", "/dev/null"], "ca_unreadable", 1),
                (["--ca", admin.scratch.path("other/ca/root.pem")], "server_certificate", 1),
                (["--url", "https://localhost:\(stranger.port)"], "server_certificate", 1),
                (
                    ["--url", "https://127.0.0.2:\(elsewhere.port)", "--ca", admin.scratch.path("third/ca/root.pem")],
                    "server_certificate", 1
                ),
                (["--url", "https://127.0.0.1:\(port)"], "server_not_administration", 1),
                (["--url", "https://localhost:\(plain.port)"], "server_not_tls", 1),
                (["--url", "https://localhost:1"], "server_unreachable", 69),
            ]
            for (words, code, exit) in faults {
                let run = try await admin.run(["sign-in", "--json"] + words)
                #expect(run.code == exit, "\(words): \(run)")
                #expect(try CommandRun.Failure(run.errors).error.code == code, "\(words): \(run)")
            }
            let both = try await admin.run(["user", "list", "--url", admin.url, "--server", "/tmp"])
            #expect(both.code == 64 && both.errors.contains("--url or --server"))
        }
    }

    @Test func `the system's authorities are trusted if no other is named`() async throws {
        try await RemoteAdministrator.with { admin in
            let run = try await admin.run(["sign-in", "--json"], more: "unset BATON_ADMIN_CA\n")
            let refusal = try CommandRun.Failure(run.errors).error
            #expect(refusal.code == "server_certificate" && refusal.remedy.contains("--ca"))
        }
    }

    @Test func `a state folder named on the command line has precedence over the address in the environment`()
        async throws
    {
        try await RemoteAdministrator.with { admin in
            let run = try await admin.run(["user", "list", "--json", "--server", "/nonexistent"], tokenFile: false)
            #expect(try CommandRun.Failure(run.errors).error.message.contains("/nonexistent/admin.sock"))
        }
    }

    @Test(
        arguments: [
            ["tenant", "list"], ["tenant", "add", "c.test", "--name", "C"], ["tenant", "remove", "c.test"],
            ["break-glass", "list"],
            ["app", "add", "/bin/true", "--bundle-id", "a.b", "--version", "1", "--title", "T"],
        ])
    func `a command for the whole server is refused without any request`(words: [String]) async throws {
        try await RemoteAdministrator.with { admin in
            admin.administration.state.withLock { $0.answer = { _ in .dropped } }
            let refusal = try await admin.refused(words)
            #expect(refusal.code == "admin.socketOnly" && refusal.remedy.contains("on the server's machine"))
            #expect(calls(admin).isEmpty)
        }
    }

    // MARK: Names

    @Test(
        arguments: [
            ["user", "show", ""], ["user", "remove", "."], ["user", "remove", "", "--yes"], ["user", "export", ".."],
            ["user", "revoke-sessions", ""], ["client", "key", "list", ""], ["client", "key", "remove", "c", ""],
            ["device", "commands", ""], ["group", "remove", ""], ["user", "list", "--tenant", ""],
            ["session", "revoke", ".."], ["user", "list", "--tenant", ".."],
        ])
    func `an empty name and a name of dots are refused without any request`(words: [String]) async throws {
        try await RemoteAdministrator.with { admin in
            admin.administration.state.withLock { $0.answer = { _ in .dropped } }
            let refusal = try await admin.refused(words)
            #expect(refusal.code == "name_malformed" && refusal.remedy.contains("name or"), "\(refusal)")
            #expect(calls(admin).isEmpty)
            let local = try await admin.run(words + ["--json", "--server", "/nonexistent"], tokenFile: false)
            #expect(try CommandRun.Failure(local.errors).error.code == "name_malformed")
        }
    }

    // MARK: Lists

    private static func user(_ name: String) -> String {
        #"{"id":"\#(name)","userPrincipalName":"\#(name)","displayName":"N","accountEnabled":true,"roles":[]}"#
    }

    @Test func `all pages of a list are fetched, on the path of the list only`() async throws {
        try await signedIn { admin in
            answering(admin) { request in
                guard request.path.hasSuffix("/users") else { return nil }
                let query = request.query.split(separator: "&").filter { $0.hasPrefix("after=") }
                return switch query.first {
                case nil:
                    .json(
                        "[\(Self.user("a"))]",
                        [("Link", "</up>; rel=\"up\", <\(request.path)?after=1&limit=1>; rel=\"next\"")])
                case "after=1":
                    .json("[\(Self.user("b"))]", [("Link", "<\(admin.url)\(request.path)?after=2>; title=x; rel=next")])
                default: .json("[\(Self.user("c"))]")
                }
            }
            let list = try await admin.done("user", "list")
            #expect(list.split(separator: "\n").dropFirst().map { $0.prefix(1) } == ["a", "b", "c"])
            #expect(calls(admin).count == 3)

            for link in [
                "<https://evil.test/identity/tenants/-/users?after=1>; rel=next",
                "</identity/tenants/-/groups>; rel=next",
                "<//evil.test/identity/tenants/-/users>; rel=next", "</identity/tenants/-/users?after=1>; rel=next",
            ] {
                // A command that followed these links would end nevertheless.
                let links = Countdown(5)
                answering(admin) { request in
                    guard request.path.hasSuffix("/users") else { return nil }
                    return .json("[]", links.take() ? [("Link", link)] : [])
                }
                #expect(try await admin.refused("user", "list").code == "server_reply")
                #expect(calls(admin).count <= 2, "\(link)")
            }
        }
    }

    // MARK: Refusals and repetitions

    @Test func `what an ambiguous name may mean and what has changed is shown`() async throws {
        try await signedIn { admin in
            let more = #","candidates":[{"id":"i1","name":"Ward\u001b"}],"changed":["displayName"]"#
            answering(admin) { $0.path.hasSuffix("/users") ? .refusal(412, "admin.changed", more: more) : nil }
            let plain = try await admin.run(["user", "list"])
            #expect(
                plain.errors
                    == "baton: Cause. [admin.changed]\n  i1  Ward\\u{1b}\n  changed: displayName\n  Remedy.\n",
                "\(plain)")
            let json = try await admin.run(["user", "list", "--json"])
            #expect(json.errors.contains(#""candidates":[{"id":"i1","name":"Ward\u001b"}],"changed":["displayName"]"#))
        }
    }

    @Test func `a refusal does not control the terminal`() async throws {
        try await signedIn { admin in
            answering(admin) { $0.path.hasSuffix("/users") ? .refusal(403, #"admin.role\u001b[31m"#) : nil }
            let plain = try await admin.run(["user", "list"])
            #expect(plain.errors == "baton: Cause. [admin.role\\u{1b}[31m]\n  Remedy.\n", "\(plain)")
        }
    }

    @Test func `a pause that the server asks for is made if it is short, and is reported if it is long`() async throws {
        try await signedIn { admin in
            let pauses = Countdown(2)
            answering(admin) { request in
                guard request.path.hasSuffix("/users"), pauses.take() else { return nil }
                return .refusal(429, "admin.tooMany", [("Retry-After", "0")])
            }
            try await admin.done("user", "list")
            #expect(calls(admin).count == 3)

            answering(admin) {
                $0.path.hasSuffix("/users") ? .refusal(429, "admin.tooMany", [("Retry-After", "3600")]) : nil
            }
            let refusal = try await admin.refused("user", "list")
            #expect(refusal.code == "admin.tooMany" && refusal.remedy.hasPrefix("Try again in 3600 seconds, at 20"))
            #expect(calls(admin).count == 1)
        }
    }

    @Test func `a request whose answer was lost is sent once more, with the same key, unless it removes something`()
        async throws
    {
        try await signedIn { admin in
            answering(admin) { request in request.path.hasSuffix("/groups") ? .dropped : nil }
            #expect(try await admin.refused(["group", "add", "G"], code: 69).code == "server_connection_lost")
            let keys = calls(admin).map { $0.headers["Idempotency-Key"] }
            #expect(keys.count == 2 && keys[0] == keys[1] && keys[0].count == 1 && keys[0][0].count == 36, "\(keys)")

            answering(admin) { _ in nil }
            try await admin.done("group", "add", "G")
            let next = calls(admin).map { $0.headers["Idempotency-Key"] }
            #expect(next.count == 1 && next[0] != keys[0])

            answering(admin) { request in request.method == "DELETE" ? .dropped : nil }
            #expect(try await admin.refused(["session", "revoke", "s"], code: 69).code == "server_connection_lost")
            #expect(calls(admin).count == 1 && calls(admin)[0].headers["Idempotency-Key"].isEmpty)
        }
    }

    @Test func `through the socket, where nothing is sent again, a request has no key`() async throws {
        try await Scratch.with { scratch in
            let keys = Mutex<[[String]]>([])
            let server = try await FakeServer(nil, socket: scratch.path("admin.sock")) { request in
                keys.withLock { $0.append(request.headers["Idempotency-Key"]) }
                return .json(#"{"id":"g","displayName":"G","members":[],"deviceCount":0}"#, status: 201)
            }
            let run = try await CommandRun(["admin", "group", "add", "G", "--server", scratch.path], in: scratch)
            #expect(run.code == 0, "\(run)")
            #expect(keys.withLock(\.self) == [[]])
            withExtendedLifetime(server) {}
        }
    }

    @Test func `a bad answer is refused with a code`() async throws {
        try await signedIn { admin in
            let faults: [(FakeServer.Answer, String, Int32)] = [
                (.reply(200, [("Content-Type", "text/html")], "[]"), "server_reply", 1),
                (.reply(200, [], "[]"), "server_reply", 1),
                (.json("{}"), "server_reply", 1), (.json("["), "server_reply", 1),
                (.endless, "server_reply_large", 1), (.broken, "server_connection_lost", 69),
                (.reply(302, [("Location", "https://evil.test/")], ""), "server_redirect", 1),
                (.reply(503, [("Content-Type", "text/html")], "<p>"), "server_status_503", 1),
                (.refusal(403, "admin.role"), "admin.role", 1),
            ]
            for (answer, code, exit) in faults {
                answering(admin) { $0.path.hasSuffix("/users") ? answer : nil }
                let refusal = try await admin.refused(["user", "list"], code: exit)
                #expect(refusal.code == code, "\(answer): \(refusal)")
            }
        }
    }

    @Test func `an export without its end, and one that is no export, is refused`() async throws {
        try await signedIn { admin in
            let export = ["audit", "export", "--from", "2026-01-01", "--output", admin.scratch.path("export")]
            for (answer, code) in [
                (FakeServer.Answer.reply(200, [("Content-Type", "application/x-ndjson")], "{}\n"), "export_incomplete"),
                (.json("{\"end\":0}\n"), "server_reply"),
            ] {
                answering(admin) { $0.path.hasSuffix("/export") ? answer : nil }
                #expect(try await admin.refused(export).code == code)
                #expect(!FileManager.default.fileExists(atPath: admin.scratch.path("export")))
            }
            answering(admin) { request in
                request.path.hasSuffix("/export")
                    ? .reply(200, [("Content-Type", "application/x-ndjson")], "{\"a\":1}\n{\"end\":1}\n") : nil
            }
            let run = try await admin.run(export)
            #expect(run.code == 0 && run.output == "1 lines are in \(admin.scratch.path("export")).\n", "\(run)")
        }
    }

    // MARK: Step-up

    private static func stepUp(_ age: String) -> FakeServer.Answer {
        .refusal(
            401, "admin.stepUp",
            [("WWW-Authenticate", "Bearer error=\"insufficient_user_authentication\", max_age=\(age)")])
    }

    @Test func `without a terminal, a dangerous command does not open a browser by itself`() async throws {
        try await signedIn { admin in
            answering(admin) { $0.method == "DELETE" ? Self.stepUp("240") : nil }
            for run in [
                try await admin.run(["session", "revoke", "s"]),
                try await admin.run(["session", "revoke", "s", "--json"]),
            ] {
                #expect(run.code == 1 && run.errors.contains("admin.stepUp"), "\(run)")
                #expect(run.errors.contains("baton admin sign-in --url \(admin.url)"))
                #expect(run.errors.contains("within 240 seconds"))
            }
            #expect(admin.administration.state.withLock(\.authorizations.count) == 1)
        }
    }

    @Test func `the command that a refusal names has the options of the refused command`() async throws {
        try await RemoteAdministrator.with { admin in
            let authority = admin.scratch.path("an authority.pem")
            try FileManager.default.copyItem(atPath: admin.authority, toPath: authority)
            let options = ["--tenant", "c.test", "--ca", authority]
            let command =
                "baton admin sign-in --url \(admin.url) --ca '\(authority)' --token-file \(admin.tokenFile) "
                + "--tenant c.test"
            let missing = try await admin.refused(["session", "revoke", "s"] + options)
            #expect(missing.code == "sign_in_required" && missing.remedy.hasSuffix(command), "\(missing)")
            try await admin.done("sign-in")
            answering(admin) { $0.method == "DELETE" ? Self.stepUp("240") : nil }
            let late = try await admin.refused(["session", "revoke", "s"] + options)
            #expect(late.code == "admin.stepUp" && late.remedy.hasSuffix(command), "\(late)")
        }
    }

    @Test func `a dangerous command is not repeated as another person than the one who was signed in`() async throws {
        try await signedIn { admin in
            let kept = try Data(contentsOf: URL(filePath: admin.tokenFile))
            answering(admin) { $0.method == "DELETE" ? Self.stepUp("120") : nil }
            admin.administration.state.withLock { state in
                state.changes = ["oid": "0a0a0a0a-0000-4000-8000-000000000003", "preferred_username": "dora@c.test"]
            }
            let run = try await admin.run(atTerminal: "session", "revoke", "s")
            #expect(run.code == 1 && run.output.contains("[sign_in_other_person]"), "\(run)")
            #expect(run.output.contains("dora@c.test") && run.output.contains("carol@c.test"), "\(run)")
            #expect(
                run.output.contains("baton admin sign-out --url \(admin.url)")
                    && run.output.contains("--token-file \(admin.tokenFile)"), "\(run)")
            #expect(calls(admin).count == 1)
            #expect(try Data(contentsOf: URL(filePath: admin.tokenFile)) == kept)
            // The tokens of the other person do not outlive the command.
            let last = admin.administration.state.withLock(\.grants).last
            #expect(last?[ParameterName.token]?.hasPrefix(FakeAdministration.token) == true)
            #expect(last?[ParameterName.grantType] == nil)
        }
    }

    @Test func `a command does not go on as another person who signs in at the same place meanwhile`() async throws {
        try await signedIn { admin in
            let file = URL(filePath: admin.tokenFile)
            let carol = try Data(contentsOf: file)
            admin.administration.state.withLock { state in
                state.changes = ["oid": "0a0a0a0a-0000-4000-8000-000000000003", "preferred_username": "dora@c.test"]
            }
            try await admin.done("sign-in")
            let dora = try Data(contentsOf: file)
            try carol.write(to: file)
            answering(admin) { request in
                guard request.path.hasSuffix("/users") else { return nil }
                do { try dora.write(to: file) } catch { Issue.record(error) }
                return .refusal(401, "admin.token", [("WWW-Authenticate", "Bearer error=\"invalid_token\"")])
            }
            let refusal = try await admin.refused(["user", "list"])
            #expect(refusal.code == "sign_in_other_person", "\(refusal)")
            #expect(calls(admin).count == 1)
            #expect(try Data(contentsOf: file) == dora)
        }
    }

    @Test(arguments: [true, false])
    func `at a terminal, a dangerous command is repeated once after another sign-in`(isEnough: Bool) async throws {
        try await signedIn { admin in
            let refusals = Countdown(isEnough ? 1 : 9)
            answering(admin) { $0.method == "DELETE" && refusals.take() ? Self.stepUp("120") : nil }
            let run = try await admin.run(atTerminal: "session", "revoke", "s")
            #expect(run.code == (isEnough ? 0 : 1), "\(run)")
            #expect(
                run.output.contains("Sign in with the browser")
                    && run.output.contains(isEnough ? "ended" : "admin.stepUp"))
            let asked = admin.administration.state.withLock(\.authorizations)
            #expect(
                asked.count == 2 && asked[1][ParameterName.maxAge] == "120" && asked[1][ParameterName.prompt] == nil)
            #expect(calls(admin).count == 2)
        }
    }
}
