// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import TestSupport
import Testing

/// The kiosk session of the package (`packaging/kiosk`), on a screen in memory. Stand-ins replace Baton's programs: the
/// bar shows a worker until a hand-over, and the home screen is a window that records each key that reaches it.
struct KioskFixture {
    let sway: RunningProgram
    private let session: [String: String]
    private let scratch: Scratch

    private static let baton = """
        #!/bin/bash
        cd FOLDER
        if [[ $* == *--bar* ]]; then
            echo '{"version":1}'
            echo "[[{\\"full_text\\":\\"$(< worker)\\"}],"
            echo shown >> bars.log
            read -r < handover
            exit 0
        fi
        exec /usr/bin/python3 -W ignore PERSON/key_window.py title >> window.log
        """

    /// - Parameters:
    ///   - worker: what the first bar shows.
    ///   - title: the first window's title.
    init(worker: String = "Amara", title: String = "Home screen", in scratch: Scratch) async throws {
        self.scratch = scratch
        for name in ["session", "bin"] {
            try FileManager.default.createDirectory(
                atPath: scratch.path(name), withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
        }
        session = [
            "HOME": scratch.path("session"), "XDG_RUNTIME_DIR": scratch.path("session"), "LANG": "C.UTF-8",
            "PATH": scratch.path("bin") + ":/usr/bin:/bin", "WAYLAND_DISPLAY": "wayland-1", "DISPLAY": "",
            "PYTHONDONTWRITEBYTECODE": "1",
        ]
        for (name, text) in [("worker", worker), ("title", title), ("bars.log", ""), ("window.log", "")] {
            try scratch.write(text, to: name)
        }
        try #require(unsafe mkfifo(scratch.path("handover"), 0o600) == 0)
        let person = Repository.root + "/Tests/Person"
        try scratch.writeProgram(
            Self.baton.replacing("FOLDER", with: scratch.path).replacing("PERSON", with: person), to: "bin/baton")
        try Self.configure(scratch)
        sway = try await Self.sway([], session, in: scratch)
        try await bars(1)
        try await windows(1)
    }

    private static func configure(_ scratch: Scratch) throws {
        let kiosk = Repository.root + "/packaging/kiosk/"
        let configuration = try textOfFile(kiosk + "sway.conf").replacing("/usr/lib/baton/", with: kiosk)
        try scratch.write(configuration, to: "sway.conf")
    }

    /// Starts sway, which refuses to run as root. Its programs have a namespace of their own, so they end with the
    /// test.
    private static func sway(
        _ options: [String], _ session: [String: String], in scratch: Scratch
    ) async throws -> RunningProgram {
        let headless = [
            "WLR_BACKENDS": "headless", "WLR_RENDERER": "pixman", "WLR_LIBINPUT_NO_DEVICES": "1",
            "GSK_RENDERER": "cairo", "GDK_BACKEND": "wayland", "DBUS_SESSION_BUS_ADDRESS": "disabled:",
        ]
        return try await RunningProgram.start(
            "/usr/bin/unshare",
            ["--user", "--map-user=1000", "--map-group=1000", "--pid", "--fork", "--kill-child", "/bin/sh", "-c"]
                + [#"sway "$@"; exit $?"#, "sway", "--config", scratch.path("sway.conf")] + options,
            environment: session.merging(headless) { $1 }, log: "sway.log", awaitsReady: false, in: scratch)
    }

    /// Makes sway check the configuration: sway starts even if a line of it is wrong.
    static func validate(in scratch: Scratch) async throws -> (code: Int32, words: String) {
        try configure(scratch)
        let run = try await sway(["--validate"], ["XDG_RUNTIME_DIR": scratch.path], in: scratch)
        return (try await run.waitForExit(), try run.log())
    }

    /// Waits until at least `count` bars have been shown since the start.
    func bars(_ count: Int) async throws {
        try await FolderWatch(scratch.path).until("the bar") { [scratch] in
            try textOfFile(scratch.path("bars.log")).split(separator: "\n").count >= count
        }
    }

    /// Waits until at least `count` windows have been opened since the start.
    func windows(_ count: Int) async throws {
        try await says("ready", times: count)
    }

    /// Waits until the windows have recorded `text` at least `times` times.
    func says(_ text: Substring, times: Int = 1) async throws {
        try await FolderWatch(scratch.path).until(String(text)) { [self] in
            try said().count { $0 == text } >= times
        }
    }

    /// The lines that the windows have recorded.
    func said() throws -> [Substring] { try textOfFile(scratch.path("window.log")).split(separator: "\n") }

    /// Makes a person press shortcuts on a keyboard, named as in `Tests/Person/keyboard.py`.
    func press(_ shortcuts: [String], layout: String = "us", locks: String = "none") async throws {
        let person = try await RunningProgram.start(
            "/usr/bin/python3",
            [Repository.root + "/Tests/Person/keyboard.py", layout, locks, scratch.path("window.log")]
                + shortcuts,
            environment: session, log: "person-\(UInt32.random(in: 0...UInt32.max)).log", awaitsReady: false,
            in: scratch)
        let code = try await person.waitForExit()
        let said = try person.log()
        try #require(code == 0, "\(said)")
    }

    /// Ends the window and the bar as a hand-over does. The next window and bar show nothing of a worker.
    func handover() throws {
        try scratch.write("Ready", to: "worker")
        try scratch.write("Home screen", to: "title")
        for process in try programs() where process.name.hasPrefix("python3") { process.process.kill() }
        try scratch.write("\n", to: "handover")
    }

    /// The programs that sway has started, by name.
    func programs() throws -> [(name: String, process: ForeignProcess)] {
        let mark = "SWAYSOCK=" + scratch.path("session/")
        return try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }.compactMap { pid in
            guard let variables = try? textOfFile("/proc/\(pid)/environ"), variables.contains(mark),
                let name = try? textOfFile("/proc/\(pid)/comm"), let process = try? ForeignProcess(pid: pid)
            else { return nil }
            return (name.trimmingCharacters(in: .newlines), process)
        }
    }

    /// The youngest program with this name, which has at most 15 letters (proc_pid_comm(5)).
    func program(_ name: String) throws -> ForeignProcess {
        try #require(try programs().filter { $0.name == name }.map(\.process).max { $0.pid < $1.pid })
    }
}
