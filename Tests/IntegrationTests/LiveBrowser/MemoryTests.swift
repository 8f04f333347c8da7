// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import MSAL
import TestSupport
import Testing

extension LiveBrowser {
    /// A worker's session data is in the memory of one process only, and is gone when that process ends.
    @Suite struct MemoryTests {
        @Test func `the session's secrets are in its process alone, and in no process after the sign-out`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            let amara = try await live.signIn("Amara", through: app)
            var held: [String: String] = [:]
            for number in [1, 2] {
                let token = try await live.app(number).token(of: amara, refreshed: true).accessToken
                held["token \(number)"] = String(token.suffix(80))
            }
            let session = try live.sessionProcess()
            let key = try await live.sessionKey()
            var copies = try StateCopies(live)
            try await copies.take("signed-in")
            let primary = try primary(in: copies.path(of: "signed-in"), under: key)
            try copies.remove()
            held["primary token"] = String(primary.token.suffix(80))
            let keys = ["session key": key, "primary key": primary.key]
            let there = ["user name", "name"] + held.keys + keys.keys
            let texts = try live.canaries(of: "Amara").merging(held) { mine, _ in mine }

            // As a control, the same search finds each secret where it must be.
            let processes = try ["supervisor": live.pid(of: .broker), "agent": live.pid(of: .agent)]
            let others = processes.flatMap { ["--process", "\($0)=\($1)"] }
            try await live.search(
                texts, keys: keys,
                others + [
                    "--process", "session=\(session.pid)",
                    "--expect-hit", "session=" + there.sorted().joined(separator: ","),
                    // The supervisor holds the memory file for the session process.
                    "--expect-hit", "supervisor=session key", "--expect-none-in", "agent",
                ])
            try await live.search(
                texts, keys: ["primary key": primary.key],
                ["--process", "supervisor=\(live.pid(of: .broker))", "--expect-none"])

            #expect(try await app.signOut(amara))
            try await session.waitForEnd()
            let next = try live.sessionProcess().pid
            #expect(next != session.pid)
            try await live.search(texts, keys: keys, others + ["--process", "session=\(next)", "--expect-none"])
        }

        @Test func `neither the home screen nor its bar holds anything of a worker after the hand-over`() async throws {
            let live = try await LiveEnvironment.ready()
            let home = try await live.startHome([])
            let bar = try await live.startBar()
            let app = try live.app(1)
            let amara = try await live.signIn("Amara", through: app)
            let person = try live.person("Amara")
            var texts = try live.canaries(of: "Amara").merging(try await live.harvest()) { mine, _ in mine }
            // The program contains the numbers of the demonstration's people.
            texts["phone"] = nil
            texts["account"] = amara.identifier
            let page = try HomePage(of: home)
            _ = try await page.view(in: live) { $0.worker != nil }
            try await FolderWatch(live.scratch.path).until("the worker on the bar") {
                try bar.log().contains(person.displayName)
            }
            // As a control, the same search finds the worker in both programs.
            try await live.search(
                texts,
                [
                    "--process", "home=\(home.pid)", "--process", "bar=\(bar.pid)",
                    "--expect-hit", "home=user name,name", "--expect-hit", "bar=name",
                ])
            #expect(try await app.signOut(amara))
            let seen = try await page.view(in: live) { $0.worker == nil && $0.receipt != nil }
            #expect(seen.button?.touch == "signIn")
            try await live.search(texts, ["--process", "home=\(home.pid)", "--expect-none"])
            #expect(try await bar.waitForExit() == 0)
            #expect(try await home.stop() == 0)
            #expect(try await live.signIn("Bo", through: app).username == live.person("Bo").userName)
        }

        /// The page of a home screen, as a program of its user reads it.
        private struct HomePage {
            struct View: Decodable {
                struct Button: Decodable { let touch: String }
                struct Anything: Decodable {}

                let button: Button?
                let worker: Anything?
                let receipt: Anything?
            }

            private struct Answer: Decodable {
                let change: Int
                let view: View
            }

            private let address: String

            init(of home: RunningProgram) throws {
                address = try #require(
                    try home.log().split(separator: "\n").first { $0.hasPrefix("http://127.0.0.1:") }
                ).description
            }

            /// Waits for a view, while the home screen's process may start anew.
            func view(in live: LiveEnvironment, where matches: (View) -> Bool) async throws -> View {
                var after = ""
                for _ in 0..<100 {
                    let said = try await live.run(
                        "/usr/bin/curl", "--silent", "--retry", "100", "--retry-delay", "1",
                        "--retry-all-errors", address + "view" + after)
                    let answer = try JSONDecoder().decode(Answer.self, from: Data(said.utf8))
                    if matches(answer.view) { return answer.view }
                    after = "?after=\(answer.change)"
                }
                throw TestProblem("the page does not show it")
            }
        }

        @Test func `no other program of the user reads the memory of the broker or its agent`() async throws {
            let live = try await LiveEnvironment.ready()
            // Without capabilities, root is a user like any other. Here the victims and the reader have no
            // capabilities.
            let humble = getuid() == 0 ? ["/usr/bin/setpriv", "--bounding-set=-all", "--inh-caps=-all", "--"] : []
            for program in [LiveEnvironment.Program.broker, .agent] {
                try await live.kill(program)
                try await live.start(program, through: humble)
            }
            // A new session process protects its memory some time after its start, but before it answers an app.
            #expect(try await live.app(1).isSharedDevice())
            let broker = [try live.pid(of: .broker), try live.pid(of: .agent), try live.sessionProcess().pid]
            try await live.canary(["same-user"] + broker.map { "\($0)" }, through: humble)
            for program in [LiveEnvironment.Program.broker, .agent] { try await live.kill(program) }
        }

        /// The session's primary refresh token and its key, from the copy's sealed session.
        private func primary(in copy: String, under key: [UInt8]) throws -> (token: String, key: [UInt8]) {
            struct Sealed: Decodable {
                let token: String
                let key: Data
            }
            var ring = try KeyRing(of: copy)
            ring.add(key: key)
            for opened in ring.openings() {
                guard let sealed = try? JSONDecoder().decode(Sealed.self, from: Data(opened)) else { continue }
                return (sealed.token, [UInt8](sealed.key))
            }
            throw TestProblem("the sealed session does not open")
        }
    }
}
