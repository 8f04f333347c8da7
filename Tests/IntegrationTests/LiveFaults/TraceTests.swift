// SPDX-License-Identifier: Apache-2.0
import DeviceAudit
import Foundation
import Processes
import TestSupport
import Testing

extension LiveFaults {
    /// Two workers in turn leave every trace that a browser allows, on a device whose browser is confined.
    @Suite(.live(users: LiveEnvironment.usersOfItsOwn, hasBrowser: false)) struct TraceTests {
        /// What the site found in the browser before it left anything (Tests/Person/traces.py).
        private struct Report: Decodable, Equatable {
            struct Found: Decodable, Equatable {
                var cookie = ""
                var local, session: String?
                var databases: [String] = []
                var caches: [String] = []
                var workers = 0
            }

            let mark: String
            let found: Found
        }

        private static func reports(in file: String) throws -> [Report] {
            guard FileManager.default.fileExists(atPath: file) else { return [] }
            return try textOfFile(file).split(separator: "\n").map {
                try JSONDecoder().decode(Report.self, from: Data($0.utf8))
            }
        }

        /// Compares the device with the snapshot in `file`.
        private func audit(_ live: LiveEnvironment, _ arguments: String...) async throws -> CommandRun {
            // The last folder contains the log of the tests' person.
            let skipped = ["/opt", "/root", "/usr", Repository.root, live.path("logs")].flatMap { ["--skip", $0] }
            return try await CommandRun(
                [
                    "device", "audit", "--config", live.configurationPath(of: .broker), "--agent-config",
                    live.configurationPath(of: .agent),
                ] + skipped + arguments, in: live.scratch)
        }

        /// Returns kind and name of everything that was left, except mounts, which other tests make at the same time.
        private func left(_ run: CommandRun) throws -> [String] {
            try JSONDecoder().decode(AuditReport.self, from: Data(run.output.utf8)).groups
                .filter { $0.judgement != .kept }.flatMap(\.differences).filter { $0.kind != .mount }.map {
                    "\($0.kind.rawValue) \($0.name)"
                }
        }

        private static let saved = ["plan.txt"]

        @Test(arguments: LiveEnvironment.BrowserKind.allCases)
        func `a worker's traces are found before the sign-out, and none of them by the next worker`(
            kind: LiveEnvironment.BrowserKind
        ) async throws {
            let live = try await LiveEnvironment.ready()
            try await live.withHelper { helper in
                try await live.withConfiguredBrowser(kind) { display in
                    let port = try #require(FreePort.tcp(in: FreePort.ofTests))
                    let (seen, snapshot) = (live.path("seen-\(kind)"), live.path("before-\(kind)"))
                    let site = try await live.runAside(
                        program: "/usr/bin/python3", [Repository.root + "/Tests/Person/traces.py", "\(port)", seen])
                    // If Firefox's first start were still running, the first page would end it, and it would be
                    // repeated after the session.
                    if kind == .firefox { try await live.log(of: .agent, says: "a profile of Firefox is prepared") }
                    let save = try await audit(live, "--save", snapshot)
                    #expect(save.code == 0, "\(save.output)\(save.errors)")
                    let app = try live.app(1)
                    for worker in ["Amara", "Bo"] {
                        let mark = "mark\(UInt64.random(in: 1 << 40...UInt64.max))"
                        let account = try await live.signIn(worker, through: app)
                        let page = "http://localhost:\(port)/notes?mark=\(mark)"
                        try await open(page, live)
                        let screen = try await live.runAside(
                            program: "/usr/bin/env",
                            [
                                "DISPLAY=" + display, "/usr/bin/python3", Repository.root + "/Tests/Person/screen.py",
                                mark,
                            ])
                        let code = try await screen.waitForExit()
                        let said = try screen.log()
                        try #require(code == 0, "\(said)")
                        #expect(try helper.mounts().count == 1)
                        let home = try live.homeInWorkersBrowser()
                        try await FolderWatch(home + "/Downloads").until("saved") {
                            try Set(Self.saved).isSubset(
                                of: FileManager.default.contentsOfDirectory(atPath: home + "/Downloads"))
                        }
                        // Nothing of the previous worker was there.
                        #expect(try Self.reports(in: seen).last == Report(mark: mark, found: .init()))
                        // The next page opens in the running browser, and finds what the first page left there.
                        let count = try Self.reports(in: seen).count
                        try await open(page, live)
                        try await FolderWatch(live.path("")).until("the second page") {
                            try Self.reports(in: seen).count > count
                        }
                        #expect(try Self.reports(in: seen).last?.found.local == mark)
                        #expect(try !live.log(of: .agent).contains("the browser's extension is not ready"))
                        try await search(home, for: mark, live)
                        let clipboard = try await clipboard(live, on: display)
                        #expect(clipboard == mark)
                        let during = try await audit(live, "--compare", snapshot, "--json")
                        let found = try left(during)
                        #expect(during.code == 1 && found.contains { $0.hasPrefix("browser_process ") })

                        try await app.signOut(account)
                        try await live.settle()
                        let after = try await audit(live, "--compare", snapshot, "--json")
                        // The program that signs in for the person listens there (Tests/Person/person.py).
                        #expect(try await live.shownReceipt().opened == ["abstract_socket"])
                        #expect(try left(after) == [], "\(after.output)")
                        #expect(after.code == 0)
                        try await live.findsNothing(of: worker, or: ["mark": mark])
                        #expect(try await self.clipboard(live, on: display) == nil)
                        #expect(try await live.newestReceipt(says: "browser")?.grade == "enforced")
                        // The log of the tests' person is the one file of this user that is left.
                        #expect(try await live.shownReceipt().left == ["browser_temporary"])
                    }
                    site.kill()
                    _ = try await site.waitForExit()
                }
            }
        }

        /// Expects the mark in the browser's home folder. A copy is searched, because the search does not follow the
        /// link in /proc that leads into the sandbox.
        private func search(_ home: String, for mark: String, _ live: LiveEnvironment) async throws {
            let copy = live.path("home-of-the-browser")
            let copying = try await live.runAside(program: "/bin/cp", ["--recursive", home, copy])
            #expect(try await copying.waitForExit() == 0)
            try await live.search(["mark": mark], ["--surface", "browser=" + copy, "--expect-hit", "browser=mark"])
            try FileManager.default.removeItem(atPath: copy)
        }

        private func open(_ page: String, _ live: LiveEnvironment) async throws {
            let run = try await CommandRun(
                ["browser", page, "--runtime-directory", live.path("run")], in: live.scratch)
            try #require(run.code == 0, "\(run.errors)")
        }

        /// The content of the screen's clipboard; nil if it is empty.
        private func clipboard(_ live: LiveEnvironment, on display: String) async throws -> String? {
            let run = try await live.runAside(
                program: "/usr/bin/xclip", ["-display", display, "-selection", "clipboard", "-out"])
            return try await run.waitForExit() == 0 ? try run.log() : nil
        }
    }
}
