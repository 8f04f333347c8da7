// SPDX-License-Identifier: Apache-2.0
import Foundation
import Processes
import TestSupport
import Testing

extension LiveEnvironment {
    /// The browsers that an agent can configure.
    enum BrowserKind: String, CaseIterable, Sendable { case chromium, firefox }

    /// Runs `body` with an agent that configures a real browser (Tests/Person/browser.py), and with the number of the
    /// screen on which it is shown. Afterwards the configuration is the former one, and no agent runs.
    func withConfiguredBrowser(
        _ kind: BrowserKind = .chromium, instead program: String? = nil,
        _ body: (_ display: String) async throws -> Void
    ) async throws {
        let place = URL(filePath: configurationPath(of: .agent))
        let former = try Data(contentsOf: place)
        // Only a browser with a window takes a page from a second call of its program.
        let (screen, display) = try await startScreen()
        let outcome: Result<Void, any Error>
        do {
            try configuration(former, with: kind, or: program, on: display).write(to: place)
            try await kill(.agent)
            try await start(.agent)
            try await awaitAgent()
            outcome = .success(try await body(display))
        } catch { outcome = .failure(error) }
        try former.write(to: place)
        try? await kill(.agent)
        screen.kill()
        _ = try await screen.waitForExit()
        try outcome.get()
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
        _ former: Data, with kind: BrowserKind, or program: String?, on display: String
    ) throws -> Data {
        var configuration = try JSONSerialization.jsonObject(with: former) as? [String: Any] ?? [:]
        var browser = configuration["browser"] as? [String: Any] ?? [:]
        // A session user that is not root has the browser's own sandbox.
        let command = (browser["command"] as? [String] ?? []).filter { users == nil || $0 != "--no-sandbox" }
        let person = try #require(command.firstIndex { $0.hasSuffix("/person.py") })
        var options = kind == .firefox ? ["--firefox"] : []
        if let program { options.append("--instead=" + program) }
        browser["command"] =
            ["/usr/bin/env", "DISPLAY=" + display] + command[..<person]
            + [command[person].replacing("/person.py", with: "/browser.py")]
            + options + command[(person + 1)...]
        browser["kind"] = kind.rawValue
        browser["host"] = try users?.browserHost(in: scratch) ?? RunningProgram.built("baton-browser-host")
        configuration["browser"] = browser
        return try JSONSerialization.data(withJSONObject: configuration)
    }
}
