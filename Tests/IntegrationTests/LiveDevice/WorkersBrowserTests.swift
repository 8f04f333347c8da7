// SPDX-License-Identifier: Apache-2.0
import Foundation
import MSAL
import Processes
import TestSupport
import Testing

extension LiveDevice {
    /// `baton browser` and a real Chromium that the agent configures: policies, extension, sign-in and end.
    @Suite struct WorkersBrowserTests {
        /// What a site of a relying party has seen, and the address that leads there by way of the identity platform.
        private struct Site {
            let live: LiveEnvironment
            let port: UInt16
            let client: String
            let program: RunningProgram

            static func start(_ live: LiveEnvironment) async throws -> Site {
                let port = try #require(FreePort.tcp(in: FreePort.ofTests))
                let client = UUID().uuidString.lowercased()
                try await live.administer(
                    "client", "add", "--name", "browser", "--id", client, "--redirect-uri",
                    "http://localhost:\(port)/cb")
                let program = try await live.runAside(
                    program: "/usr/bin/python3",
                    [Repository.root + "/Tests/Person/callback.py", "\(port)", live.path("site")])
                return Site(live: live, port: port, client: client, program: program)
            }

            /// An address at which the identity platform signs in whoever has a credential, and asks for none.
            func address(state: String) throws -> String {
                let url = try #require(URL(string: live.facts.authority))
                let query = [
                    "client_id=\(client)", "response_type=code", "scope=openid", "prompt=none", "state=\(state)",
                    "redirect_uri=http%3A%2F%2Flocalhost%3A\(port)%2Fcb",
                    "code_challenge=\(String(repeating: "A", count: 43))",
                    "code_challenge_method=S256",
                ].joined(separator: "&")
                return
                    "https://\(try #require(url.host())):\(live.facts.port)/\(url.lastPathComponent)/oauth2/v2.0/authorize?"
                    + query
            }

            private static func line(of state: String, in file: String) throws -> String? {
                guard FileManager.default.fileExists(atPath: file) else { return nil }
                return try textOfFile(file).split(separator: "\n").map(String.init).first {
                    $0.contains("state=\(state)&") || $0.hasSuffix("state=\(state)")
                }
            }

            /// The parameters with which the identity platform came back.
            func answer(to state: String) async throws -> [String: String] {
                let file = live.path("site")
                try await FolderWatch(live.path("")).until("the page of \(state)") {
                    try Self.line(of: state, in: file) != nil
                }
                let line = try #require(try Self.line(of: state, in: file))
                let items = URLComponents(string: line)?.queryItems ?? []
                return Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
            }
        }

        private func browse(_ live: LiveEnvironment, _ address: String? = nil) async throws -> CommandRun {
            try await Scratch.with { scratch in
                try await CommandRun(
                    ["browser"] + (address.map { [$0] } ?? []) + ["--runtime-directory", live.path("run")], in: scratch)
            }
        }

        /// The processes whose arguments contain this text.
        private func processes(with text: String) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { Int($0) != nil }.filter {
                (try? textOfFile("/proc/\($0)/cmdline").contains(text)) == true
            }
        }

        @Test func `a worker's pages open signed in under the device's policies, and nothing is left for the next`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            try await live.withConfiguredBrowser { _ in
                let site = try await Site.start(live)
                let nobody = try await browse(live, site.address(state: "early"))
                #expect(nobody.code == 1 && nobody.errors.contains("[nobody_signed_in]"), "\(nobody.errors)")
                let app = try live.app(1)
                for worker in ["Amara", "Bo"] {
                    let account = try await live.signIn(worker, through: app)
                    let run = try await browse(live, site.address(state: worker))
                    #expect(run.code == 0, "\(run.errors)")
                    let answer = try await site.answer(to: worker)
                    #expect(answer["error"] == nil && answer["code"]?.isEmpty == false, "\(answer)")
                    // Chromium's own sandbox leaves some of its processes no file at all.
                    let policies = try processes(with: "--user-data-dir=" + live.path("run/profiles")).compactMap {
                        try? textOfFile("/proc/\($0)/root/etc/chromium/policies/managed/baton.json")
                    }
                    #expect(policies.first?.contains(#""IncognitoModeAvailability":1"#) == true)
                    #expect(try processes(with: site.client) == [])
                    // The next page opens in the browser that runs.
                    #expect(try await browse(live, site.address(state: worker + "-again")).code == 0)
                    #expect(try await site.answer(to: worker + "-again")["code"]?.isEmpty == false)
                    try await app.signOut(account)
                    try await live.settle()
                    #expect(try processes(with: live.path("run/profiles")) == [])
                    #expect(try live.names(in: "run/profiles").filter { $0 != "extension" && $0 != "trash" } == [])
                    #expect(try await live.newestReceipt(says: "browser")?.grade == "enforced")
                }
                site.program.kill()
                _ = try await site.program.waitForExit()
            }
        }

        @Test func `a page that is none, or one too many, is refused with the reason`() async throws {
            let live = try await LiveEnvironment.ready()
            try await live.signIn("Amara", through: live.app(1))
            for (address, reason) in [
                ("ftp://example.org/", "page_invalid"), ("https://user@example.org/", "page_invalid"),
                ("javascript:alert(1)", "page_invalid"), ("", "page_invalid"),
            ] {
                let run = try await browse(live, address)
                #expect(run.code == 1 && run.errors.contains("[\(reason)]"), "\(address): \(run.errors)")
            }
            try await live.settle()
        }
    }
}
