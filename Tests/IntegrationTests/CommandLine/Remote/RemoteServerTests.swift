// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import Processes
import TestSupport
import Testing

/// `baton admin` over HTTPS with a real server.
@Suite(.timeLimit(.minutes(10))) struct RemoteServerTests {
    /// A server whose login and administration this machine can reach by name.
    private struct Remote {
        let server: ServerProcess
        let url: String
        let scratch: Scratch

        static func with(_ body: (Remote) async throws -> Void) async throws {
            try await Scratch.with { scratch in
                let port = Int(try #require(FreePort.tcp(in: FreePort.ofTests)))
                let names = [
                    "login": "localhost", "deviceRegistration": "drs.test", "graph": "graph.test", "mdm": "mdm.test",
                    "administration": "127.0.0.1",
                ]
                let server = try ServerProcess(["names": names, "administrationPort": port], in: scratch)
                try await server.start()
                _ = try server.create("tenants", ["displayName": "C", "domain": "c.test"])
                let user = ["userPrincipalName": "carol@c.test", "displayName": "Carol", "password": "long enough"]
                _ = try server.create("tenants/-/users", user)
                try await body(Remote(server: server, url: "https://127.0.0.1:\(port)", scratch: scratch))
            }
        }

        func assign(_ role: String) throws {
            let path = "/identity/tenants/-/roles/\(role.replacing(" ", with: "%20"))/members/carol%40c.test"
            try #require(try server.administer("PUT", path).status == 204)
        }

        private func words(_ words: [String]) -> [String] {
            ["admin"] + words + ["--url", url, "--ca", server.state + "/ca/root.pem"]
        }

        func run(_ command: String..., tokens: Bool = true) async throws -> CommandRun {
            let file = tokens ? ["--token-file", scratch.path("tokens")] : []
            return try await CommandRun(words(command) + file, in: scratch)
        }

        /// Signs Carol in with a code, which she enters in a browser.
        func signIn() async throws {
            struct Instruction: Decodable { let signIn: Parts }
            struct Parts: Decodable { let address: String, code: String }
            let (program, errors) = try await CommandRun.start(
                words(["sign-in", "--device-code", "--json", "--token-file", scratch.path("tokens")]), in: scratch)
            try await FolderWatch(scratch.path).until("a code") {
                try program.log().contains("\n") || (try? textOfFile(errors))?.isEmpty == false
            }
            let (log, early) = (try program.log(), (try? textOfFile(errors)) ?? "")
            let first = try #require(log.split(separator: "\n").first, "\(early)")
            let instruction = try JSONDecoder().decode(Instruction.self, from: Data(first.utf8)).signIn
            try await PlatformBrowser(at: "localhost", server).enter(instruction.code, at: instruction.address)
            let (code, said) = (try await program.waitForExit(), (try? textOfFile(errors)) ?? "")
            #expect(code == 0, "\(said)")
        }
    }

    @Test func `an administrator signs in, acts with their roles, and signs out`() async throws {
        try await Remote.with { remote in
            try await remote.signIn()
            let without = try await remote.run("user", "list", "--json")
            #expect(without.code == 1 && without.errors.contains("admin.role"), "\(without)")
            let nobody = try await remote.run("whoami")
            #expect(nobody.code == 0 && nobody.output.contains("none that may read the directory"), "\(nobody)")

            try remote.assign("Global Administrator")
            #expect(try await remote.run("user", "list").output.contains("carol@c.test"))
            let who = try await remote.run("whoami")
            #expect(who.output.contains("roles      Global Administrator\n"), "\(who)")
            let group = try await remote.run("group", "add", "Ward 7")
            #expect(group.code == 0, "\(group)")
            let dangerous = try await remote.run("group", "remove", "Ward 7")
            #expect(dangerous.code == 0, "\(dangerous)")
            let whole = try await remote.run("tenant", "list", "--json")
            #expect(whole.errors.contains("admin.socketOnly"), "\(whole)")
            let export = try await remote.run("audit", "export", "--from", "2026-01-01")
            #expect(export.code == 0 && export.output.contains("\"group.add\""), "\(export)")

            let out = try await remote.run("sign-out")
            #expect(out.code == 0 && out.output == "You are signed out.\n", "\(out)")
            #expect(try await remote.run("user", "list", "--json").errors.contains("sign_in_required"))
        }
    }

    @Test func `all pages of a long list are fetched`() async throws {
        try await Remote.with { remote in
            for number in 0..<1003 {
                _ = try remote.server.create("tenants/-/groups", ["displayName": "g\(number)"])
            }
            try remote.assign("Global Reader")
            try await remote.signIn()
            let run = try await remote.run("group", "list", "--json")
            let groups = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [Any]
            #expect(groups?.count == 1003)
        }
    }

    @Test func `a script acts with its key, as far as it was granted permissions`() async throws {
        try await Remote.with { remote in
            let key = P256.Signing.PrivateKey()
            let file = try remote.scratch.write(key.pemRepresentation, to: "key.pem")
            let script = try remote.server.create(
                "tenants/-/clients", ["displayName": "S", "isConfidential": true, "redirectURIs": [String]()])
            _ = try remote.server.create(
                "tenants/-/clients/\(script)/keys", ["name": "k", "publicKey": key.publicKey.pemRepresentation])
            func run(_ words: String...) async throws -> CommandRun {
                try await remote.run(
                    words[0], words[1], "--json", "--client-id", script, "--key", file, "--tenant", "c.test",
                    tokens: false)
            }
            #expect(try await run("user", "list").code == 1)
            let permission = "/identity/tenants/-/clients/\(script)/application-permissions/User.Read.All"
            try #require(try remote.server.administer("PUT", permission).status == 204)
            let users = try await run("user", "list")
            #expect(users.code == 0 && users.output.contains("carol@c.test"), "\(users)")
            let clients = try await run("client", "list")
            #expect(clients.code == 1 && clients.errors.contains("admin.permission"), "\(clients)")
        }
    }
}
