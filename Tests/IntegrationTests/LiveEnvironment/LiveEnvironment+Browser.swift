// SPDX-License-Identifier: Apache-2.0
import Foundation
import Processes
import TestSupport
import Testing

extension LiveEnvironment {
    /// The browsers that an agent can configure.
    enum BrowserKind: String, CaseIterable, Sendable { case chromium, firefox }

    /// What shows the broker's pages.
    enum SignInWindow: Sendable {
        /// A program that posts the pages' forms (Tests/Person/person.py).
        case program
        /// Chromium, for a person at the screen.
        case chromium
    }

    /// Runs `body` with an agent that configures a real browser (Tests/Person/browser.py), and with the number of the
    /// screen on which it is shown. Afterwards the former configuration is restored, and no agent runs.
    ///
    /// - Parameter bus: the address of the session's message bus (``MessageBus``); nil for a session without one.
    func withConfiguredBrowser(
        _ kind: BrowserKind = .chromium, instead program: String? = nil, signIn: SignInWindow = .program,
        on bus: String? = nil, _ body: (_ display: String) async throws -> Void
    ) async throws {
        let place = URL(filePath: configurationPath(of: .agent))
        let former = try Data(contentsOf: place)
        // If the browser's program is called again for another page, only a browser with a window shows that page.
        let (screen, display) = try await startScreen()
        let outcome: Result<Void, any Error>
        do {
            try configuration(former, with: kind, or: program, signIn: signIn, isAccessible: bus != nil).write(
                to: place)
            try await kill(.agent)
            let session = ["DISPLAY=" + display] + (bus.map { ["DBUS_SESSION_BUS_ADDRESS=" + $0] } ?? [])
            try await start(.agent, through: ["/usr/bin/env"] + session)
            try await awaitAgent()
            outcome = .success(try await body(display))
        } catch { outcome = .failure(error) }
        try former.write(to: place)
        try? await kill(.agent)
        // The suite's other tests have an agent that packs no extension.
        try? FileManager.default.removeItem(atPath: path("run/profiles/extension"))
        screen.kill()
        _ = try await screen.waitForExit()
        try outcome.get()
    }

    /// The path at which this process can reach the home folder of the worker's browser. The folder exists only in the
    /// browser's sandbox.
    func homeInWorkersBrowser() throws -> String {
        let inside = try ProcessTable.read().descendants(of: pid(of: .agent)).first {
            try textOfFile("/proc/\($0.pid)/cmdline").hasPrefix("/bin/sh\0-c\0")
                && FileManager.default.fileExists(atPath: "/proc/\($0.pid)/root/home/browser")
        }
        return "/proc/\(try #require(inside).pid)/root/home/browser"
    }

    /// Starts a screen in memory. Any user may use it, because the agent may run as another user.
    func startScreen() async throws -> (RunningProgram, display: String) { try await VirtualScreen.start(in: scratch) }

    /// Returns the options with which Chromium reaches and trusts the server of this environment.
    func browserOptions() throws -> [String] {
        let data = try Data(contentsOf: URL(filePath: path("configuration/baton-agent.json")))
        let configuration = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        let command = (configuration?["browser"] as? [String: Any])?["command"] as? [String] ?? []
        return command.filter { $0.hasPrefix("--host-resolver-rules") || $0.hasPrefix("--ignore-certificate-errors") }
    }

    private func configuration(
        _ former: Data, with kind: BrowserKind, or program: String?, signIn: SignInWindow, isAccessible: Bool
    ) throws -> Data {
        var configuration = try JSONSerialization.jsonObject(with: former) as? [String: Any] ?? [:]
        var browser = configuration["browser"] as? [String: Any] ?? [:]
        // For a session user other than root, the browser can use its own sandbox.
        let command = (browser["command"] as? [String] ?? []).filter { users == nil || $0 != "--no-sandbox" }
        let person = try #require(command.firstIndex { $0.hasSuffix("/person.py") })
        let log = try #require(command.firstIndex(of: "--log"))
        // A confined window writes no log outside.
        let options = Array(command[(log + 2)...])
        switch signIn {
        case .program: browser["signIn"] = Array(command[..<log]) + ["--log", "/dev/null"] + options
        case .chromium:
            let others = options.filter { $0.hasPrefix("--") && !$0.contains("{") && $0 != "--profile" }
            browser["signIn"] =
                ["/usr/lib/chromium/chromium", "--user-data-dir={profile}", "--no-first-run", "--disable-gpu"]
                + ["--app={url}"] + others
        }
        var workers = Array(command[..<person])
        workers.append(command[person].replacing("/person.py", with: "/browser.py"))
        if kind == .firefox { workers.append("--firefox") }
        if let program { workers.append("--instead=" + program) }
        browser["command"] = workers + options
        let people = command[person].split(separator: "/").dropLast().map { "/" + $0 }.joined()
        browser["readable"] =
            try [people, path("configuration")] + RunningProgram.libraries() + (program == nil ? [] : [scratch.path])
        browser["kind"] = kind.rawValue
        browser["accessible"] = isAccessible
        browser["host"] = try users?.browserHost(in: scratch) ?? RunningProgram.built("baton-browser-host")
        configuration["browser"] = browser
        return try JSONSerialization.data(withJSONObject: configuration)
    }
}
