// SPDX-License-Identifier: Apache-2.0
import Files
import Foundation
import MSAL
import Processes
import TestSupport
import Testing

extension LiveDevice {
    /// A person at the screen tries every key that opens something, in each window.
    @Suite struct EscapeTests {
        @Test func `nothing opens from the sign-in window of an idle device, and nothing of it is left in the session`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            try await live.withConfiguredBrowser(signIn: .chromium) { display in
                let package = try live.names(in: "run/profiles/extension")
                let app = try live.app(1)
                let signIn = Task { try await app.signInAtScreen(of: live) }
                let person = try live.person("Amara")
                // A walk may close the window, which ends the sign-in.
                let stranger = try await Escapes.start(
                    .sample(walks: 0), in: .signIn, titled: "^Sign in", of: live, on: display,
                    ["--platform", live.facts.loginURL, "--sign-in", person.userName, person.password])
                let report: Escapes.Report
                do { report = try await Escapes.report(of: stranger) } catch {
                    // Killing the agent ends the sign-in. The result shows whether the sign-in had already been
                    // refused.
                    let log = try live.log(of: .agent).suffix(3000)
                    try await live.kill(.agent)
                    throw TestProblem("\(error)\nthe sign-in: \(await signIn.result)\nthe agent: \(log)")
                }
                #expect(report.escapes == [])
                #expect(report.attempts.count > 20)
                #expect(report.observed.files == [])
                // The dropped file's address is blocked.
                #expect(report.attempts["drop"]?.first?.hasPrefix("blocked: file:///tmp/") == true)
                // The address bar works in the second window, so the attempts were made.
                #expect(report.attempts["chrome://flags"] == ["blocked: chrome://flags/ - Chromium"])
                // No other page of the platform waits there for the next worker.
                let others = report.attempts.filter { $0.key.hasPrefix("PLATFORM/") }.values
                #expect(
                    others.count == 2 && others.joined().allSatisfy { $0.hasPrefix("blocked: login.baton.test") },
                    "\(others)")
                let before = try ProcessTable.read().descendants(of: live.pid(of: .agent))
                let account = try await signIn.value
                #expect(account.username == person.userName)
                // Before the worker's browser starts, nothing of the sign-in window runs.
                try await Escapes.openWorkersBrowser(of: live)
                #expect(try ProcessTable.read().stillRunning(before) == [])
                #expect(try live.names(in: "run/profiles/extension") == package)
                try await app.signOut(account)
                try await live.settle()
                #expect(try await live.shownReceipt().opened == ["none"])
            }
        }

        @Test func `a person who closes the sign-in page ends the sign-in, even with a second window open`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            try await live.withConfiguredBrowser(signIn: .chromium) { display in
                let app = try live.app(1)
                async let refusal = seen { try await app.signIn() }
                let person = try await live.runAside(
                    program: "/usr/bin/env",
                    [
                        "DISPLAY=" + display, "/usr/bin/python3", Repository.root + "/Tests/Person/close_window.py",
                        "^Sign in$", "ctrl+n",
                    ])
                let code = try await person.waitForExit()
                let said = try person.log()
                // Otherwise the sign-in would wait for minutes.
                if code != 0 { try await live.kill(.agent) }
                #expect(code == 0, "\(said)")
                #expect(try await refusal.code == .userCanceled)
                try await live.settle()
            }
        }

        @Test func `the worker's browser shows neither its own pages nor the device's files`() async throws {
            let live = try await LiveEnvironment.ready()
            try await live.withConfiguredBrowser { display in
                try await live.signIn("Amara", through: live.app(1))
                try await Escapes.openWorkersBrowser(of: live)
                let worker = try await Escapes.start(
                    .sample(walks: 1), in: .workers, titled: "Chromium$", of: live, on: display,
                    Escapes.opening(of: live))
                let report = try await Escapes.report(of: worker)
                #expect(report.escapes == [])
                #expect(report.observed.files == ["a window's /home/browser/Downloads"])
                // The page got the path of the file, but this path does not exist where the browser runs.
                #expect(report.attempts["drop"] == ["Unreadable - Chromium"])
                // A mail address starts no other browser.
                #expect(report.observed.processes.filter { $0.contains("firefox") || $0.contains("x-www") } == [])
                try await live.settle()
            }
        }
    }
}

extension LiveFaults {
    /// The same in Firefox, which does not run as root without capabilities.
    @Suite(.live(users: LiveEnvironment.usersOfItsOwn, hasBrowser: false)) struct FirefoxEscapeTests {
        @Test func `a worker's Firefox shows neither its own pages nor the device's files`() async throws {
            let live = try await LiveEnvironment.ready()
            try await live.withConfiguredBrowser(.firefox) { display in
                try await live.signIn("Amara", through: live.app(1))
                try await Escapes.openWorkersBrowser(of: live)
                let worker = try await Escapes.start(
                    .sample(walks: 1), in: .firefox, titled: "Mozilla Firefox$", of: live, on: display,
                    Escapes.opening(of: live))
                let report = try await Escapes.report(of: worker)
                #expect(report.escapes == [])
                #expect(
                    report.attempts["drop"]?.contains { $0.hasPrefix("Dropped nothing") } == true,
                    "\(report.attempts["drop", default: []])")
                #expect(report.attempts.keys.contains("about:networking"))
                // Its pages and the browser itself have crashed, and nothing has taken their place.
                #expect(report.attempts["crash of the browser"] == [])
                try await live.settle()
            }
        }
    }
}
