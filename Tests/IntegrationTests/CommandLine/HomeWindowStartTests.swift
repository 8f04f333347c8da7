// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import BrowserPolicies
import Foundation
import Glibc
import Processes
import TestSupport
import Testing
import UnixSocket

/// What happens while a window of the home screen is being started. The test holds each step, and the browser is a program
/// that connects to the screen's socket and shows nothing.
@Suite(.timeLimit(.minutes(5))) struct HomeWindowStartTests {
    private static let browser = """
        #!/usr/bin/python3
        import os, socket
        screen = socket.socket(socket.AF_UNIX)
        screen.connect(os.environ["WAYLAND_DISPLAY"])
        screen.recv(1)
        """

    /// A program in place of bubblewrap. It reports what it is asked to start, and then starts bubblewrap if the test
    /// allows it; otherwise it fails. The program and everything in the sandbox keep the program's connection to the
    /// test open. The program ignores its parent's request to end.
    private static let bubblewrap = """
        #!/usr/bin/python3
        import os, signal, socket, sys
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        step = socket.socket(socket.AF_UNIX)
        step.connect("FOLDER/steps")
        step.send(b"t" if sys.argv[-1] == "/bin/true" else b"w")
        if step.recv(1) != b"x": sys.exit(1)
        step.set_inheritable(True)
        os.execv("FOLDER/bwrap", ["bwrap", *sys.argv[1:]])
        """

    /// The milliseconds that a step may take: so many that no test fails because the machine is busy.
    private static let patience: Int32 = 120_000

    private func next(_ listener: Listener) async throws -> Descriptor {
        try await blocking {
            guard listener.descriptor.isReadable(within: Self.patience) else { throw TestProblem("nobody connects") }
            return try listener.accept()
        }
    }

    private func end(of descriptor: Descriptor) async throws {
        try await blocking {
            guard descriptor.isReadable(within: Self.patience), descriptor.isEnded else {
                throw TestProblem("a process of the window is still there")
            }
        }
    }

    private func session(in scratch: Scratch, bus: String = "disabled:") -> [String: String] {
        ["DISPLAY": "", "WAYLAND_DISPLAY": scratch.path("screen"), "DBUS_SESSION_BUS_ADDRESS": bus]
    }

    @Test func `a window that is being started while its session ends shows nothing, and another one opens`()
        async throws
    {
        try await Scratch.with { scratch in
            let browser = try scratch.writeProgram(Self.browser, to: "browser")
            let screen = try Listener(path: scratch.path("screen"), mode: 0o600)
            let bus = try Listener(path: scratch.path("bus"), mode: 0o600)
            let home = try await HomeFixture(
                ["--browser", browser], session: session(in: scratch, bus: "unix:path=" + bus.path), in: scratch)
            // Before each window, the home screen asks the session for its accessibility bus.
            var starting: Descriptor? = try await next(bus)
            try home.report(.signedIn)
            try home.report(.signingOut)
            try home.report(.ready)
            try #require(starting?.isEnded == false)
            starting = nil
            // The next window is started only when the first one has ended.
            starting = try await next(bus)
            starting = nil
            // The first window ended because of the hand-over, not because its page did not appear.
            #expect(try !home.program.log().contains("opens anew"))
            var window = try await next(screen)
            while window.isReadable(within: 0) { window = try await next(screen) }
            #expect(try await home.program.stop() == 0)
            try await end(of: window)
            #expect(try home.files() == [])
        }
    }

    @Test func `a home screen that is killed before bubblewrap has started leaves nothing`() async throws {
        try await Scratch.with { scratch in
            let (home, screen, steps) = try await start(in: scratch)
            let window = try await nextStep(steps, is: "w")
            home.program.kill()
            #expect(try await home.program.waitForExit() == -SIGKILL)
            try answer(window)
            try await end(of: window)
            withExtendedLifetime(screen) {}
            #expect(try home.files() == [])
        }
    }

    @Test
    func
        `a home screen tries whether it can confine a program at its start and after a failure, not after a session`()
        async throws
    {
        try await Scratch.with { scratch in
            var (home, screen, steps) = try await start(["--json"], in: scratch)
            try await answer(nextStep(steps, is: "w"))
            let first = try await next(screen)
            try home.report(.signedIn)
            try home.report(.signingOut)
            try await end(of: first)
            try await home.startsAnew()
            // From now on, no program can be confined.
            try await answer(nextStep(steps, is: "w"), "f")
            try await answer(nextStep(steps, is: "t"), "f")
            #expect(try await home.program.waitForExit() == 1)
            let error = try CommandRun.Failure(try home.program.log()).error
            #expect(error.code == "home_not_confined" && !error.remedy.isEmpty)
        }
    }

    /// Starts a home screen whose windows wait for the test. The home screen's trial succeeds: a program can be
    /// confined.
    private func start(
        _ arguments: [String] = [], in scratch: Scratch
    ) async throws -> (home: HomeFixture, screen: Listener, steps: Listener) {
        let browser = try scratch.writeProgram(Self.browser, to: "browser")
        let screen = try Listener(path: scratch.path("screen"), mode: 0o600)
        let steps = try Listener(path: scratch.path("steps"), mode: 0o600)
        let entrance = try entrance(in: scratch)
        async let starting = HomeFixture(
            arguments + ["--browser", browser], session: session(in: scratch), through: entrance, in: scratch)
        try await answer(nextStep(steps, is: "t"))
        return (try await starting, screen, steps)
    }

    /// A command that starts a program which finds the script ``bubblewrap`` in place of the real bubblewrap.
    private func entrance(in scratch: Scratch) throws -> [String] {
        try scratch.install("/usr/bin/bwrap", as: "bwrap")
        let wrapper = try scratch.writeProgram(Self.bubblewrap.replacing("FOLDER", with: scratch.path), to: "wrapper")
        return ["/usr/bin/unshare", "--mount"] + (geteuid() == 0 ? [] : ["--map-root-user"]) + [
            "/bin/sh", "-c", #"mount --bind "$0" /usr/bin/bwrap && exec "$@""#, wrapper,
        ]
    }

    /// The next start of ``bubblewrap``: "t" if it is a trial, "w" for a window.
    private func nextStep(_ listener: Listener, is kind: Character) async throws -> Descriptor {
        let step = try await next(listener)
        let said = try await blocking {
            var byte: UInt8 = 0
            guard step.isReadable(within: Self.patience), step.withNumber({ unsafe read($0, &byte, 1) }) == 1
            else { throw TestProblem("a start of bubblewrap says nothing") }
            return byte
        }
        try #require(said == kind.asciiValue)
        return step
    }

    private func answer(_ step: Descriptor, _ word: String = "x") throws {
        try #require(step.withNumber { unsafe write($0, word, 1) } == 1)
    }

    @Test func `a browser that does not know a policy opens no window, and the command says which policy`() async throws
    {
        try await Scratch.with { scratch in
            let names = ChromiumPolicies.names.needed.subtracting(["URLBlocklist"])
            let browser = try scratch.writeProgram(
                "#!/bin/sh\nexit 0\n\0" + names.joined(separator: "\0"), to: "browser")
            let run = try await RunningProgram.start(
                RunningProgram.built("baton"),
                ["home", "--json", "--runtime-directory", scratch.path("run"), "--browser", browser],
                environment: session(in: scratch), log: "home.log", awaitsReady: false, in: scratch)
            #expect(try await run.waitForExit() == 1)
            let error = try CommandRun.Failure(try run.log()).error
            #expect(error.code == "browser_policy_unknown")
            #expect(error.message.hasSuffix(": URLBlocklist.") && !error.remedy.isEmpty)
        }
    }

    @Test(arguments: [("/dev/null", "bubblewrap_missing"), ("/bin/false", "user_namespaces_refused")])
    func `the kiosk's bar says why no window opens`(_ program: String, _ code: String) async throws {
        try await Scratch.with { scratch in
            try FileManager.default.createDirectory(
                atPath: scratch.path("run"), withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
            let input = scratch.path("touches")
            try #require(unsafe mkfifo(input, 0o600) == 0)
            let bar = try await RunningProgram.start(
                "/usr/bin/unshare",
                ["--mount"] + (geteuid() == 0 ? [] : ["--map-root-user"]) + [
                    "/bin/sh", "-c", #"mount --bind "$0" /usr/bin/bwrap && exec "$@" 0<>"$TOUCHES""#, program,
                    try RunningProgram.built("baton"), "home", "--bar", "--runtime-directory", scratch.path("run"),
                ],
                environment: ["TOUCHES": input, "LANG": "C.UTF-8"], log: "bar.log", awaitsReady: false, in: scratch)
            try await FolderWatch(scratch.path).until("the reason") {
                try bar.log().contains("No browser can open (\(code))")
            }
            #expect(try await bar.stop() == 0)
        }
    }
}
