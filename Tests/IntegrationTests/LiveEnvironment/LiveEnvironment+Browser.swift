// SPDX-License-Identifier: Apache-2.0
import Foundation
import Processes
import TestSupport

extension LiveEnvironment {
    /// Runs `body` with an agent that configures a real Chromium (Tests/Person/browser.py); afterwards the configuration is
    /// the former one, and no agent runs.
    func withConfiguredBrowser(_ body: () async throws -> Void) async throws {
        let place = URL(filePath: configurationPath(of: .agent))
        let former = try Data(contentsOf: place)
        var configuration = try JSONSerialization.jsonObject(with: former) as? [String: Any] ?? [:]
        var browser = configuration["browser"] as? [String: Any] ?? [:]
        let command = browser["command"] as? [String] ?? []
        // Only a browser with a window takes a page from a second call of its program.
        let screen = try await runAside(program: "/usr/bin/Xvfb", ["-displayfd", "1", "-nolisten", "tcp"])
        let log = screen.logPath
        try await FolderWatch(scratch.path).until("a screen") { try textOfFile(log).contains("\n") }
        let display = try textOfFile(log).split(separator: "\n").last { Int($0) != nil }
        browser["command"] =
            ["/usr/bin/env", "DISPLAY=:\(display ?? "")"]
            + command.map { $0.replacing("/Tests/Person/person.py", with: "/Tests/Person/browser.py") }
        browser["kind"] = "chromium"
        browser["host"] = try RunningProgram.built("baton-browser-host")
        configuration["browser"] = browser
        try JSONSerialization.data(withJSONObject: configuration).write(to: place)
        try await kill(.agent)
        do {
            try await start(.agent)
            try await awaitAgent()
            try await body()
        } catch {
            try former.write(to: place)
            try? await kill(.agent)
            screen.kill()
            throw error
        }
        try former.write(to: place)
        try await kill(.agent)
        screen.kill()
        _ = try await screen.waitForExit()
    }
}
