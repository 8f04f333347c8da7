// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// The sample app WardRound on a screen of its own, and a person at its window (Tests/Person/window.py).
struct WardRound {
    private let live: LiveEnvironment
    /// The environment variables that the app and the person share: the screen, and the bus on which the app describes
    /// its window.
    private let desktop: [String: String]
    private let program: RunningProgram

    /// The app's number in the environment.
    private static let number = 4

    /// Runs `body` with an open window, and closes it.
    static func with(_ live: LiveEnvironment, _ body: (WardRound) async throws -> Void) async throws {
        let (screen, display) = try await live.startScreen()
        let (bus, address) = try await startBus(live)
        let runtime = live.scratch.path("desktop")
        try FileManager.default.createDirectory(
            atPath: runtime, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let window = try await WardRound(
            live,
            desktop: [
                "DISPLAY": display, "DBUS_SESSION_BUS_ADDRESS": address, "XDG_RUNTIME_DIR": runtime,
                "LANG": "C.UTF-8",
            ])
        let outcome: Result<Void, any Error>
        do {
            // A window manager would give a new window the keyboard, but this screen has none.
            try await window.person("return")
            try await body(window)
            // The app erases while it still runs, so that it is not locked for the next test.
            try await live.settle()
            outcome = .success(())
        } catch { outcome = .failure(error) }
        for program in [window.program, bus, screen] {
            program.kill()
            _ = try await program.waitForExit()
        }
        try outcome.get()
    }

    private init(_ live: LiveEnvironment, desktop: [String: String]) async throws {
        (self.live, self.desktop) = (live, desktop)
        let app = Repository.root + "/Examples/.build/debug/ward-round"
        guard FileManager.default.isExecutableFile(atPath: app) else {
            throw TestProblem("\(app) is not built: make sample")
        }
        // With these settings of the C library and of GLib, memory is overwritten when it is freed. A search of the
        // memory then finds only what the app still holds.
        let overwriting = [
            "GLIBC_TUNABLES": "glibc.malloc.perturb=165:glibc.malloc.tcache_count=0", "G_SLICE": "always-malloc",
        ]
        program = try await RunningProgram.start(
            app, ["--config", live.path("apps/\(Self.number)/config.json")],
            environment: desktop.merging(overwriting) { $1 }
                .merging(["BATON_SOCKET": live.path("run/broker.sock"), "GSK_RENDERER": "cairo"]) { $1 },
            log: "ward-round.log", awaitsReady: false, in: live.scratch)
    }

    private static func startBus(_ live: LiveEnvironment) async throws -> (RunningProgram, address: String) {
        let bus = try await live.runAside(
            program: "/usr/bin/dbus-daemon", ["--session", "--nofork", "--print-address"])
        let log = bus.logPath
        try await FolderWatch(live.scratch.path).until("a bus") { try address(in: log) != nil }
        return (bus, try #require(try address(in: log)))
    }

    /// The line with the bus's address; nil if there is none yet.
    private static func address(in log: String) throws -> String? {
        try textOfFile(log).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .first { $0.hasPrefix("unix:") }.map(String.init)
    }

    /// The process id, for the search for traces.
    var pid: Int32 { program.pid }

    /// Makes the person do something; see Tests/Person/window.py.
    @discardableResult
    func person(_ words: String...) async throws -> String {
        try await run("/usr/bin/python3", ["-W", "ignore", Repository.root + "/Tests/Person/window.py"] + words)
    }

    /// The content of the desktop's clipboard.
    func clipboard() async throws -> String {
        try await run("/bin/sh", ["-c", "xclip -o -selection clipboard 2>/dev/null || true"])
    }

    /// Sends the process a signal, which ends it or suspends it.
    func send(_ signal: Int32) { program.send(signal) }

    /// Waits for the end of the process.
    func hasEnded() async throws { _ = try await program.waitForExit() }

    /// The app's files of notes.
    var files: [String] { get throws { try live.names(in: "apps/\(Self.number)/data/notes") } }

    private func run(_ program: String, _ arguments: [String]) async throws -> String {
        try await Scratch.with { scratch in
            let run = try await RunningProgram.start(
                program, arguments, environment: desktop, log: "log", awaitsReady: false, in: scratch)
            guard try await run.waitForExit() == 0 else { throw TestProblem(try run.log()) }
            return try run.log()
        }
    }
}
