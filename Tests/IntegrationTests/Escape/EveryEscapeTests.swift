// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import Foundation
import MSAL
import Processes
import TestSupport
import Testing

/// Every attempt of `Tests/Person/escapes.json` and 200 random walks, in each window. Takes hours, so only the soak test
/// runs it; `EscapeTests` makes a sample of the attempts.
@Suite(
    .serialized, .live(users: nil, hasBrowser: false), .timeLimit(.minutes(240)), .enabled(if: Soak.isRunning))
struct EveryEscapeTests {
    @Test func `the list has every page that the installed browsers have of their own`() async throws {
        let live = try await LiveEnvironment.ready()
        let search = try await live.runAside(
            program: Repository.root + "/.venv-foreign/bin/python3",
            [Repository.root + "/Tests/Person/internal_pages.py"])
        let code = try await search.waitForExit()
        let missing = try search.log()
        #expect(code == 0, "\(missing)")
    }

    @Test func `nothing of the whole list opens from the sign-in window of an idle device`() async throws {
        let live = try await LiveEnvironment.ready()
        try await live.with(configuration: Self.longSessions) {
            try await live.withConfiguredBrowser(signIn: .chromium) { display in
                let app = try live.app(1)
                // An app opens another window whenever one was closed.
                let opener = Task {
                    while !Task.isCancelled { _ = try? await app.signIn() }
                }
                let report = try await Self.report(.everything, titled: "^Sign in", live, display) {
                    opener.cancel()
                    _ = app.cancel()
                    await opener.value
                }
                #expect(report.attempts.count > 700 || Escapes.only != nil)
                #expect(report.observed.files == [])
            }
        }
        try await live.start(.broker)
    }

    @Test func `nothing opens from the window in which a signed-in worker sets a PIN`() async throws {
        let live = try await LiveEnvironment.ready()
        try await live.allowOffline(["--pin-without-tpm"])
        try await live.withConfiguredBrowser(signIn: .chromium) { display in
            let (app, person) = (try live.app(1), try live.person("Amara"))
            async let account = app.signIn().account
            let worker = try await Escapes.start(
                .sample(walks: 0), in: .signIn, titled: "^Sign in", of: live, on: display,
                ["--sign-in", person.userName, person.password])
            #expect(try await Escapes.report(of: worker).escapes == [])
            #expect(try await account.username == person.userName)
            let opener = Task {
                while !Task.isCancelled { _ = try? await live.ask(.setPIN) }
            }
            // A PIN must be set soon after the sign-in, so there is no time for the whole list.
            let report = try await Self.report(.sample(walks: 2), titled: "^Set a PIN", live, display) {
                opener.cancel()
                _ = try? await live.ask(.signOut(fromBrowser: false))
                await opener.value
            }
            #expect(report.attempts.count > 20)
        }
        try await live.settle()
        try await live.forbidOffline()
    }

    /// Sessions that last longer than a test, even if no app reports activity.
    private static let longSessions: [String: [String: Int]] = ["sessionPolicy": ["idle": 0, "shiftLength": 86_400]]

    /// Makes attempts in the windows that a task opens again and again, and then `end`s the task.
    private static func report(
        _ extent: Escapes.Extent, titled title: String, _ live: LiveEnvironment, _ display: String,
        end: () async -> Void
    ) async throws -> Escapes.Report {
        let stranger = try await Escapes.start(
            extent, in: .signIn, titled: title, of: live, on: display, ["--platform", live.facts.loginURL])
        let outcome: Result<Escapes.Report, any Error>
        do { outcome = .success(try await Escapes.report(of: stranger)) } catch { outcome = .failure(error) }
        await end()
        let report = try outcome.get()
        #expect(report.escapes == [])
        return report
    }

    @Test func `nothing of the whole list opens from the worker's Chromium`() async throws {
        let live = try await LiveEnvironment.ready()
        try await Self.tryEverything(in: .chromium, .workers, titled: "Chromium$", live)
    }

    fileprivate static func tryEverything(
        in browser: LiveEnvironment.BrowserKind, _ window: Escapes.Window, titled title: String, _ live: LiveEnvironment
    ) async throws {
        try await live.with(configuration: longSessions) {
            try await live.withConfiguredBrowser(browser) { display in
                try await live.signIn("Amara", through: live.app(1))
                let worker = try await Escapes.start(
                    .everything, in: window, titled: title, of: live, on: display, Escapes.opening(of: live))
                let report = try await Escapes.report(of: worker)
                #expect(report.escapes == [])
                #expect(report.attempts.count > 700 || Escapes.only != nil)
                try await live.settle()
            }
        }
        try await live.start(.broker)
    }
}

/// The same in Firefox, which does not run as root without capabilities.
@Suite(
    .serialized, .live(users: LiveEnvironment.usersOfItsOwn, hasBrowser: false), .timeLimit(.minutes(240)),
    .enabled(if: Soak.isRunning))
struct EveryFirefoxEscapeTests {
    @Test func `nothing of the whole list opens from the worker's Firefox`() async throws {
        let live = try await LiveEnvironment.ready()
        try await EveryEscapeTests.tryEverything(in: .firefox, .firefox, titled: "Mozilla Firefox$", live)
    }
}
