// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import Foundation
import Glibc
import Processes
import TestSupport
import Testing
import UnixSocket

/// The window of the home screen: a real Chromium on a screen in memory. The test is the broker.
@Suite(.serialized, .timeLimit(.minutes(Soak.isRunning ? 240 : 5))) struct HomeWindowTests {
    /// `baton home` in a session of its own, with a person at its window (Tests/Person/home_window.py).
    private struct Home {
        let program: RunningProgram
        let port: Int
        private let desktop: [String: String]
        private let states: FramedJSON<DeviceState, DeviceState>
        private let scratch: Scratch

        init(_ arguments: [String] = [], in scratch: Scratch) async throws {
            self.scratch = scratch
            for name in ["run", "session", "home"] {
                try FileManager.default.createDirectory(
                    atPath: scratch.path(name), withIntermediateDirectories: false,
                    attributes: [.posixPermissions: 0o700])
            }
            let (_, display) = try await VirtualScreen.start(in: scratch)
            desktop = [
                "DISPLAY": display, "WAYLAND_DISPLAY": "", "LANG": "C.UTF-8", "HOME": scratch.path("home"),
                "TMPDIR": scratch.path("home"), "XDG_RUNTIME_DIR": scratch.path("session"),
                "BATON_MARKER": scratch.path("managed"),
                "DBUS_SESSION_BUS_ADDRESS": try await MessageBus.start(in: scratch),
            ]
            port = Int(try #require(FreePort.tcp()))
            let listener = try Listener(path: scratch.path("run/status.sock"), mode: 0o600)
            program = try await RunningProgram.start(
                RunningProgram.built("baton"),
                ["home", "--runtime-directory", scratch.path("run"), "--port", String(port)] + arguments,
                environment: desktop, log: "home.log", in: scratch)
            states = FramedJSON(try await blocking { try listener.accept() }, limits: Wire.statusLimits)
            try report(.ready)
        }

        /// Tells the home screen the state of the device.
        func report(_ stage: DeviceState.Stage) throws {
            try states.send(
                DeviceState(stage: stage, reason: "shared", isEnrolled: true, registration: "good", hasAgent: true))
        }

        /// Has the person do something; fails with what they say.
        func person(_ words: [String]) async throws {
            let person = try await start(words)
            let code = try await person.waitForExit()
            let said = try person.log()
            #expect(code == 0, "\(said)")
        }

        func start(_ words: [String], script: String = "home_window.py") async throws -> RunningProgram {
            try await RunningProgram.start(
                "/usr/bin/python3", ["-W", "ignore", Repository.root + "/Tests/Person/" + script] + words,
                environment: desktop, log: "person-\(UInt32.random(in: 0...UInt32.max)).log", awaitsReady: false,
                in: scratch)
        }

        /// Has the person close the window.
        func close() async throws {
            let close = try await RunningProgram.start(
                "/usr/bin/python3", [Repository.root + "/Tests/Person/close_window.py", "^Home screen$"],
                environment: desktop, log: "close.log", awaitsReady: false, in: scratch)
            #expect(try await close.waitForExit() == 0)
        }

        /// Every process that the home screen has started, directly or indirectly.
        func processes() throws -> [ForeignProcess] {
            var (found, waiting) = ([Int32](), [program.pid])
            while let next = waiting.popLast() {
                let more = (try? children(of: next)) ?? []
                found += more
                waiting += more
            }
            return found.compactMap { try? ForeignProcess(pid: $0) }
        }

        /// Waits until the log has so many lines with this text.
        func says(_ text: String, times: Int = 1) async throws {
            let log = program.logPath
            try await FolderWatch(scratch.path).until(text) {
                try textOfFile(log).split(separator: "\n").filter { $0.contains(text) }.count >= times
            }
        }

        /// What is in the folders in which a program of the session may write.
        func files() throws -> [String] {
            try ["session", "home"].flatMap { try FileManager.default.contentsOfDirectory(atPath: scratch.path($0)) }
        }
    }

    private static let anew = "the window of the home screen opens anew"

    /// Addresses that read the device or record what others do (review A2 to A4), and one of the network.
    private static let forbidden = [
        "chrome://inspect", "chrome://net-export", "chrome://version", "file:///etc/passwd",
        "view-source:http://127.0.0.1/", "https://example.org/",
    ]

    @Test func `a second window shows nothing, and no window survives a hand-over`() async throws {
        try await Scratch.with { scratch in
            let home = try await Home(in: scratch)
            try await home.person(["reads", "Ready", "Sign in"])
            try home.report(.signedIn)
            let holder = try await home.start(["holds", String(home.port)])
            try await home.person(["tries", String(home.program.pid)] + Self.forbidden)
            let old = try home.processes()
            #expect(old.count > 3)
            try home.report(.signingOut)
            let watcher = try await home.start(["handover", String(home.port)] + old.map { String($0.pid) })
            try await FolderWatch(scratch.path).until("a watcher") { try !watcher.log().isEmpty }
            try home.report(.ready)
            let code = try await watcher.waitForExit()
            let said = try watcher.log()
            #expect(code == 0, "\(said)")
            for process in old { try await process.waitForEnd() }
            holder.kill()
            try await home.person(["reads", "Ready", "Sign in"])
            try await home.person(["alone"])
            try await home.close()
            #expect(try await home.program.waitForExit() == 0)
        }
    }

    @Test func `nothing opens from the home window`() async throws {
        try await Scratch.with { scratch in
            let home = try await Home(in: scratch)
            try await home.person(["reads", "Ready", "Sign in"])
            let stranger = try await home.start(
                Escapes.arguments(
                    .sample(walks: 1), in: .home, titled: "^Home screen$", process: home.program.pid),
                script: "escape.py")
            let report = try await Escapes.report(of: stranger)
            #expect(report.escapes == [])
            #expect(report.observed.files == [])
            #expect(try await home.program.stop() == 0)
        }
    }

    /// Takes an hour.
    @Test(.enabled(if: Soak.isRunning), arguments: [DeviceState.Stage.ready, .signedIn])
    func `nothing of the whole list opens from the home window, before a session and during one`(
        _ stage: DeviceState.Stage
    ) async throws {
        try await Scratch.with { scratch in
            let home = try await Home(in: scratch)
            try home.report(stage)
            let stranger = try await home.start(
                Escapes.arguments(.everything, in: .home, titled: "^Home screen$", process: home.program.pid)
                    + ["--port", String(home.port)],
                script: "escape.py")
            let report = try await Escapes.report(of: stranger)
            #expect(report.escapes == [])
            #expect(report.attempts.count > 600)
            #expect(report.observed.files == [])
            #expect(try await home.program.stop() == 0)
        }
    }

    @Test func `a killed home screen leaves no file and no process`() async throws {
        try await Scratch.with { scratch in
            let home = try await Home(in: scratch)
            try await home.person(["reads", "Ready"])
            let processes = try home.processes()
            #expect(processes.count > 3)
            home.program.kill()
            #expect(try await home.program.waitForExit() == -SIGKILL)
            for process in processes { try await process.waitForEnd() }
            #expect(try home.files() == [])
        }
    }

    @Test(arguments: ["page", "browser"])
    func `a window whose page or browser is killed is opened anew, and the home screen goes on`(_ part: String)
        async throws
    {
        try await Scratch.with { scratch in
            let home = try await Home(in: scratch)
            try await home.person(["reads", "Ready"])
            let old = try home.processes()
            if part == "page" {
                try await home.person(["crash", String(home.program.pid)])
            } else {
                for process in old { process.kill() }
            }
            try await home.says(Self.anew)
            for process in old { try await process.waitForEnd() }
            try await home.person(["reads", "Ready"])
            try await home.close()
            #expect(try await home.program.waitForExit() == 0)
        }
    }

    @Test func `a browser that ends at once is started again after growing pauses`() async throws {
        try await Scratch.with { scratch in
            let browser = try scratch.writeProgram("#!/bin/sh\nexit 1\n", to: "browser")
            let home = try await Home(["--browser", browser], in: scratch)
            try await home.says(Self.anew, times: 3)
            let pauses = try home.program.log().matches(of: /pause=([0-9.]+) seconds/).compactMap { Double($0.1) }
            #expect(pauses.prefix(3) == [0, 1, 2])
            #expect(try await home.program.stop() == 0)
        }
    }

    @Test(arguments: ["/dev/null", "/bin/false"])
    func `without bubblewrap or user namespaces no window opens, and the command says why`(_ program: String)
        async throws
    {
        try await Scratch.with { scratch in
            let (_, display) = try await VirtualScreen.start(in: scratch)
            let run = try await RunningProgram.start(
                "/usr/bin/unshare",
                ["--mount"] + (geteuid() == 0 ? [] : ["--map-root-user"]) + [
                    "/bin/sh", "-c", #"mount --bind "$0" /usr/bin/bwrap && exec "$@""#, program,
                    try RunningProgram.built("baton"), "home", "--json", "--runtime-directory", scratch.path("run"),
                ],
                environment: ["DISPLAY": display], log: "home.log", awaitsReady: false, in: scratch)
            #expect(try await run.waitForExit() == 1)
            let error = try CommandRun.Failure(try run.log()).error
            #expect(error.code == "home_not_confined")
            #expect(error.message.contains("/usr/bin/bwrap") && !error.remedy.isEmpty)
        }
    }
}
