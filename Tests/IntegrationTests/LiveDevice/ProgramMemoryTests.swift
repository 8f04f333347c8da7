// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import MSAL
import Processes
import TestSupport
import Testing

extension LiveDevice {
    /// What the programs of a graphical session remember.
    @Suite struct ProgramMemoryTests {
        /// Searches all memory of all programs of Baton that run during a session, and of the programs that they have
        /// started.
        @Test func `no program of Baton holds anything of a worker after the hand-over`() async throws {
            let live = try await LiveEnvironment.ready()
            try await live.withConfiguredBrowser { display in
                let stage = try await Stage(live, on: display)
                let amara = try await live.signIn("Amara", through: stage.app)
                var texts = try live.canaries(of: "Amara").merging(try await live.harvest()) { mine, _ in mine }
                // The program `baton` contains the phone numbers of the demonstration's people.
                texts["phone"] = nil
                texts["account"] = amara.identifier
                texts["page"] = "page-of-amara-\(UInt64.random(in: 0...UInt64.max))"
                try await stage.open(page: try #require(texts["page"]))
                _ = try await stage.view { $0.worker != nil }
                let name = try live.person("Amara").displayName
                try await FolderWatch(live.scratch.path).until("the worker on the bar") { [bar = stage.bar] in
                    try bar.log().contains(name)
                }
                // The host of the browser's extension must run, but soon overwrites what it has read.
                _ = try stage.process(with: "baton-browser-host", of: "agent")
                // As a control, the same search finds the worker in every other program that learns of a worker.
                try await live.search(
                    texts,
                    [
                        "--process", "home=\(stage.home.pid)", "--expect-hit", "home=user name,name",
                        "--process", "bar=\(stage.bar.pid)", "--expect-hit", "bar=name",
                        "--process", "agent=\(try live.pid(of: .agent))", "--expect-hit", "agent=page",
                    ])
                // The broker has already passed the page on, and overwrites memory that it frees.
                try await live.search(
                    texts.filter { $0.key == "page" },
                    ["--process", "broker=\(try live.pid(of: .broker))", "--expect-none"])
                try await stage.findWorkerInWindow(texts)
                let former = try stage.processes()

                #expect(try await stage.app.signOut(amara))
                let seen = try await stage.view { $0.worker == nil && $0.receipt != nil }
                #expect(seen.button?.touch == "signIn")
                #expect(try await stage.bar.waitForExit() == 0)
                let programs = try Set([stage.home.pid, live.pid(of: .agent), live.pid(of: .broker)])
                for process in former.values where !programs.contains(process.pid) { try await process.waitForEnd() }
                try await stage.findNothing(texts)
                let code = try await stage.home.stop()
                let said = try stage.home.log()
                #expect(code == 0, "\(code): \(said)")
                #expect(try await live.signIn("Bo", through: stage.app).username == live.person("Bo").userName)
            }
        }

        @Test(arguments: [false, true])
        func `the home screen does not learn who was there before, even if it was stopped over a change of worker`(
            isStopped: Bool
        ) async throws {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            let home = try await live.startHome([])
            let amara = try await live.signIn("Amara", through: app)
            var texts = try live.canaries(of: "Amara")
            texts["phone"] = nil
            texts["account"] = amara.identifier
            try await Self.untilFound("name", texts, in: home, live)
            if isStopped { home.send(SIGSTOP) }
            try await app.signOut(amara)
            try await live.signIn("Bo", through: app)
            if isStopped { home.send(SIGCONT) }
            try await Self.untilFound("name", try live.canaries(of: "Bo").filter { $0.key != "phone" }, in: home, live)
            try await live.search(texts, ["--process", "home=\(home.pid)", "--expect-none"])
            #expect(try await home.stop() == 0)
            try await live.settle()
        }

        /// Searches a program's memory until it holds a text. A search takes a while.
        private static func untilFound(
            _ name: String, _ texts: [String: String], in program: RunningProgram, _ live: LiveEnvironment
        ) async throws {
            for _ in 0..<60 {
                let rules = ["--process", "home=\(program.pid)", "--expect-hit", "home=\(name)"]
                if (try? await live.search(texts, rules)) != nil { return }
            }
            throw TestProblem("the program does not hold the \(name)")
        }

        /// The programs of a graphical session: the home screen with its window, the bar, and the agent with the
        /// worker's browser.
        private struct Stage {
            /// What the home screen's page shows.
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

            let home: RunningProgram
            let bar: RunningProgram
            let app: App
            private let live: LiveEnvironment
            private let display: String
            private let address: String

            init(_ live: LiveEnvironment, on display: String) async throws {
                (self.live, self.display) = (live, display)
                let port = try #require(FreePort.tcp(in: FreePort.ofTests))
                address = "http://127.0.0.1:\(port)/"
                home = try await live.startHome(["--port", "\(port)"], on: display)
                bar = try await live.startBar()
                app = try live.app(1)
            }

            /// Opens a page of the identity platform, whose address has this text.
            func open(page: String) async throws {
                let address = live.facts.authority + "/oauth2/v2.0/authorize?response_type=code&state=" + page
                let run = try await Scratch.with { scratch in
                    try await CommandRun(["browser", address, "--runtime-directory", live.path("run")], in: scratch)
                }
                try #require(run.code == 0, "\(run.errors)")
            }

            /// Waits for a view. The home screen's process may start anew meanwhile.
            func view(where matches: (View) -> Bool) async throws -> View {
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

            /// The home screen, the agent and the broker, with everything that they have started.
            func processes() throws -> [String: ForeignProcess] {
                let table = try ProcessTable.read()
                let roots = try ["home": home.pid, "agent": live.pid(of: .agent), "broker": live.pid(of: .broker)]
                return Dictionary(
                    roots.flatMap { name, root in
                        ([root] + table.descendants(of: root).map(\.pid)).compactMap { pid in
                            (try? ForeignProcess(pid: pid)).map { ("\(name) \(pid)", $0) }
                        }
                    }
                ) { first, _ in first }
            }

            /// The process that this program has started and whose arguments contain this text.
            func process(with text: String, of program: String) throws -> Int32 {
                let found = try processes().first { name, process in
                    name.hasPrefix(program + " ")
                        && (try? textOfFile("/proc/\(process.pid)/cmdline").contains(text)) == true
                }
                guard let found else { throw TestProblem("the \(program) has no process with \(text)") }
                return found.value.pid
            }

            /// Waits until the home screen has a window; returns the processes that draw its pages.
            private func windowsPages() async throws -> [Int32] {
                try await live.run(
                    "/usr/bin/env", "DISPLAY=" + display, "/usr/bin/python3",
                    Repository.root + "/Tests/Person/windows.py",
                    "^Home screen$")
                return try processes().values.map(\.pid).filter {
                    (try? textOfFile("/proc/\($0)/cmdline").contains("--type=renderer")) == true
                }
            }

            /// Waits until a page of the home screen's window holds the worker's name. A search takes a while.
            func findWorkerInWindow(_ texts: [String: String]) async throws {
                for _ in 0..<60 {
                    for page in try await windowsPages() {
                        let rules = ["--process", "window=\(page)", "--expect-hit", "window=name"]
                        if (try? await live.search(texts, rules)) != nil { return }
                    }
                }
                throw TestProblem("the window does not show the worker")
            }

            private func search(_ processes: [String: ForeignProcess], _ texts: [String: String]) async throws {
                let places = processes.flatMap { ["--process", "\($0.key)=\($0.value.pid)"] }
                try await live.search(texts, places + ["--expect-none"])
            }

            /// Searches every process. If a process of a browser ends meanwhile, the search is repeated.
            func findNothing(_ texts: [String: String]) async throws {
                for _ in 0..<10 {
                    // The page of the next window is searched, too.
                    try #require(try await !windowsPages().isEmpty)
                    let all = try processes()
                    do {
                        // The broker keeps the account's id for apps that have not been told yet that their worker has
                        // left (tombstones.json).
                        try await search(
                            all.filter { $0.key.hasPrefix("broker") }, texts.filter { $0.key != "account" })
                        return try await search(all.filter { !$0.key.hasPrefix("broker") }, texts)
                    } catch { guard all.values.contains(where: \.hasEnded) else { throw error } }
                }
                throw TestProblem("the processes change all the time")
            }
        }
    }
}
