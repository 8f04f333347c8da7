// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// `baton-watch-input` with simulated tools, whose output each test sets.
@Suite struct InputWatchTests {
    /// Makes a folder of tools. Its `pkill` writes one line for each notification of the agent.
    private func tools(_ scratch: Scratch, _ tools: [String: String]) throws {
        try FileManager.default.createDirectory(atPath: scratch.path("bin"), withIntermediateDirectories: true)
        for (name, body) in tools.merging(["pkill": "echo \"$@\" >> \(scratch.path("told"))"], uniquingKeysWith: { $1 })
        {
            try scratch.writeProgram("#!/bin/bash\n\(body)\n", to: "bin/" + name)
        }
        try scratch.write("", to: "told")
    }

    /// - Parameter options: options of the shell.
    private func watch(
        _ scratch: Scratch, every: String = "0.05", options: [String] = [], _ session: [String: String]
    ) async throws -> RunningProgram {
        try await RunningProgram.start(
            "/bin/bash", options + [Repository.root + "/packaging/session/baton-watch-input", "--every", every],
            environment: ["DISPLAY": "", "WAYLAND_DISPLAY": "", "PATH": scratch.path("bin") + ":/usr/bin:/bin"]
                .merging(session) { $1 }, log: "watch.log",
            awaitsReady: false, in: scratch)
    }

    private func told(_ scratch: Scratch) throws -> [Substring] {
        try textOfFile(scratch.path("told")).split(separator: "\n")
    }

    @Test func `under X recent input is reported, and older input is not`() async throws {
        try await Scratch.with { scratch in
            // The first three polls report that there was input just now; the next three report a pause of a minute.
            // After that, the X server is gone.
            try tools(
                scratch,
                [
                    "gdbus": "exit 1",
                    "xprintidle": """
                    echo x >> \(scratch.path("looks")); looks=$(wc -l < \(scratch.path("looks")))
                    [ $looks -gt 6 ] && exit 1; [ $looks -gt 3 ] && echo 60000 || echo 0
                    """,
                ])
            let watcher = try await watch(scratch, ["DISPLAY": ":7"])
            #expect(try await watcher.waitForExit() == 70)
            #expect(try told(scratch).count == 3)
            #expect(try told(scratch).allSatisfy { $0.hasPrefix("-USR1 -u ") && $0.hasSuffix(" -x baton-agent") })
        }
    }

    @Test func `under Wayland an input event is reported, and a pause event is not`()
        async throws
    {
        try await Scratch.with { scratch in
            // The stand-in for swayidle exits after its last report, as swayidle does when the compositor is gone.
            let words = "echo pause; echo input; echo pause; echo input; echo pause"
            try tools(scratch, ["gdbus": "exit 1", "swayidle": "echo \"$@\" > \(scratch.path("asked")); \(words)"])
            let watcher = try await watch(scratch, every: "600", ["WAYLAND_DISPLAY": "wayland-7"])
            #expect(try await watcher.waitForExit() == 70)
            #expect(try textOfFile(scratch.path("asked")).hasPrefix("-w timeout 5 "))
            #expect(try told(scratch).count == 2)
        }
    }

    @Test func `a compositor that hangs does not keep a worker active forever`() async throws {
        try await Scratch.with { scratch in
            try tools(scratch, ["gdbus": "exit 1", "swayidle": "while kill -0 $PPID 2>/dev/null; do sleep 1; done"])
            // The shell prints each command (`-x`). At the sixtieth poll, the agent has been notified only forty times.
            let watcher = try await watch(scratch, every: "0.01", options: ["-x"], ["WAYLAND_DISPLAY": "wayland-7"])
            try await FolderWatch(scratch.path).until("looking for the sixtieth time") {
                try textOfFile(watcher.logPath).contains("+ looks=60\n")
            }
            #expect(try told(scratch).count == 40)
            watcher.kill()
            try await watcher.waitForExit()
        }
    }

    @Test func `a session without a source of input is reported as such`() async throws {
        try await Scratch.with { scratch in
            try tools(scratch, ["gdbus": "exit 1"])
            let watcher = try await watch(scratch, [:])
            #expect(try await watcher.waitForExit() == 69)
            #expect(try watcher.log().contains("swayidle"))
            #expect(try told(scratch).isEmpty)
        }
    }
}
