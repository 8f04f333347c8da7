// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import BrowserPolicies
import Foundation
import Processes
import TestSupport
import Testing
import UnixSocket

/// `baton home` in a session of its own, with a person at its window (Tests/Person/home_window.py).
struct HomeFixture {
    let program: RunningProgram
    let port: Int
    private let desktop: [String: String]
    private let listener: Listener
    private var states: FramedJSON<DeviceState, DeviceState>
    private let scratch: Scratch

    /// - Parameters:
    ///   - session: the environment variables of the graphical session; nil for those of a session that has a screen
    ///     and a message bus.
    ///   - entrance: a command that replaces itself with the home screen (exec(3)).
    init(
        _ arguments: [String] = [], session: [String: String]? = nil, through entrance: [String] = [],
        in scratch: Scratch
    ) async throws {
        self.scratch = scratch
        for name in ["run", "session", "home"] {
            try FileManager.default.createDirectory(
                atPath: scratch.path(name), withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
        }
        let folders = [
            "LANG": "C.UTF-8", "HOME": scratch.path("home"), "TMPDIR": scratch.path("home"),
            "XDG_RUNTIME_DIR": scratch.path("session"), "BATON_MARKER": scratch.path("managed"),
        ]
        if let session {
            desktop = folders.merging(session) { $1 }
        } else {
            desktop = folders.merging(try await Self.session(in: scratch)) { $1 }
        }
        port = Int(try #require(FreePort.tcp()))
        let listener = try Listener(path: scratch.path("run/status.sock"), mode: 0o600)
        self.listener = listener
        let words =
            try entrance + [RunningProgram.built("baton"), "home", "--runtime-directory", scratch.path("run")]
            + ["--port", String(port)] + arguments
        program = try await RunningProgram.start(
            words[0], Array(words.dropFirst()), environment: desktop, log: "home.log", in: scratch)
        states = FramedJSON(try await blocking { try listener.accept() }, limits: Wire.statusLimits)
        try report(.ready)
    }

    /// A Chromium that is started together with a program that polls as a second page and shows nothing. The window
    /// therefore remains open even while its own page is dead.
    static func browserOfTwoPages(in scratch: Scratch) throws -> String {
        let page = """
            import http.client, json, sys
            after = 0
            while True:
                screen = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
                screen.request("GET", "/view?after=%d" % after)
                after = json.loads(screen.getresponse().read())["change"]
            """
        let script = """
            #!/bin/sh
            port=${1##*:}
            /usr/bin/python3 -c '\(page)' "${port%%/*}" >/dev/null 2>&1 &
            exec /usr/lib/chromium/chromium "$@"

            """
        // A program that does not contain the names of the policies counts as one that does not know them.
        return try scratch.writeProgram(
            script + "\0" + ChromiumPolicies.names.needed.joined(separator: "\0"), to: "browser")
    }

    private static func session(in scratch: Scratch) async throws -> [String: String] {
        let (_, display) = try await VirtualScreen.start(in: scratch)
        return [
            "DISPLAY": display, "WAYLAND_DISPLAY": "",
            "DBUS_SESSION_BUS_ADDRESS": try await MessageBus.start(in: scratch),
        ]
    }

    /// Waits until the home screen has started anew after a session, and tells it that the device is ready.
    mutating func startsAnew() async throws {
        states = FramedJSON(try await blocking { [listener] in try listener.accept() }, limits: Wire.statusLimits)
        try report(.ready)
    }

    /// Tells the home screen the state of the device.
    func report(_ stage: DeviceState.Stage) throws {
        try states.send(
            DeviceState(stage: stage, reason: "shared", isEnrolled: true, registration: "good", hasAgent: true))
    }

    /// Makes the person do something; fails with what the person reports.
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

    /// Makes the person close the window.
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

    /// Waits until the log has at least `times` lines with this text.
    func says(_ text: String, times: Int = 1) async throws {
        let log = program.logPath
        try await FolderWatch(scratch.path).until(text) {
            try textOfFile(log).split(separator: "\n").filter { $0.contains(text) }.count >= times
        }
    }

    /// The names in the folders that a program of the session may write to.
    func files() throws -> [String] {
        try ["session", "home"].flatMap { try FileManager.default.contentsOfDirectory(atPath: scratch.path($0)) }
    }
}
