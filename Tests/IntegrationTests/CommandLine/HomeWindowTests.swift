// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import Glibc
import Processes
import TestSupport
import Testing

/// The window of the home screen: a real Chromium on a screen in memory. The test is the broker.
@Suite(.serialized, .timeLimit(.minutes(Soak.isRunning ? 240 : 5))) struct HomeWindowTests {
    private static let anew = "the window of the home screen opens anew"

    /// Addresses of pages that show files or facts of the device or record what others do (review A2 to A4), and one
    /// address of a web site.
    private static let forbidden = [
        "chrome://inspect", "chrome://net-export", "chrome://version", "file:///etc/passwd",
        "view-source:http://127.0.0.1/", "https://example.org/",
    ]

    @Test func `a second window shows nothing, and no window survives a hand-over`() async throws {
        try await Scratch.with { scratch in
            let browser = try HomeFixture.browserOfTwoPages(in: scratch)
            var home = try await HomeFixture(["--browser", browser], in: scratch)
            try await home.person(["reads", "Ready", "Sign in"])
            try home.report(.signedIn)
            let own = "http://127.0.0.1:\(home.port)/"
            try await home.person(["tries", String(home.program.pid)] + [own] + Self.forbidden)
            let old = try home.processes()
            #expect(old.count > 3)
            let watcher = try await home.start(["handover", String(home.port)] + old.map { String($0.pid) })
            try await FolderWatch(scratch.path).until("a watcher") { try !watcher.log().isEmpty }
            try home.report(.signingOut)
            try await home.startsAnew()
            let code = try await watcher.waitForExit()
            let said = try watcher.log()
            #expect(code == 0, "\(code): \(said)")
            for process in old { try await process.waitForEnd() }
            try await home.person(["reads", "Ready", "Sign in"])
            try await home.person(["alone"])
            try await home.close()
            #expect(try await home.program.waitForExit() == 0)
        }
    }

    @Test func `nothing opens from the home window`() async throws {
        try await Scratch.with { scratch in
            let home = try await HomeFixture(in: scratch)
            try await home.person(["reads", "Ready", "Sign in"])
            let stranger = try await home.start(
                Escapes.arguments(
                    .sample(walks: 1), in: .home, titled: "^Home screen$", process: home.program.pid),
                script: "escape.py")
            let report = try await Escapes.report(of: stranger)
            #expect(report.escapes == [])
            #expect(report.observed.files == [])
            let code = try await home.program.stop()
            let said = try home.program.log()
            #expect(code == 0, "\(code): \(said)")
        }
    }

    /// Takes an hour.
    @Test(.enabled(if: Soak.isRunning), arguments: [DeviceState.Stage.ready, .signedIn])
    func `nothing of the whole list opens from the home window, before a session and during one`(
        _ stage: DeviceState.Stage
    ) async throws {
        try await Scratch.with { scratch in
            let browser = try HomeFixture.browserOfTwoPages(in: scratch)
            let home = try await HomeFixture(["--browser", browser], in: scratch)
            try home.report(stage)
            let stranger = try await home.start(
                Escapes.arguments(.everything, in: .home, titled: "^Home screen$", process: home.program.pid)
                    + ["--without-page"],
                script: "escape.py")
            let report = try await Escapes.report(of: stranger)
            #expect(report.escapes == [])
            #expect(report.attempts.count > 600 || Escapes.only != nil)
            #expect(report.observed.files == [])
            #expect(try await home.program.stop() == 0)
        }
    }

    @Test func `a killed home screen leaves no file and no process`() async throws {
        try await Scratch.with { scratch in
            let home = try await HomeFixture(in: scratch)
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
            let home = try await HomeFixture(in: scratch)
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

    @Test func `a page of another program keeps no window whose page has died`() async throws {
        try await Scratch.with { scratch in
            let home = try await HomeFixture(in: scratch)
            try await home.person(["reads", "Ready"])
            let stranger = try await home.start(["holds", String(home.port)])
            try await FolderWatch(scratch.path).until("another page") { try !stranger.log().isEmpty }
            let old = try home.processes()
            try await home.person(["crash", String(home.program.pid)])
            try await home.says(Self.anew)
            for process in old { try await process.waitForEnd() }
            try await home.person(["reads", "Ready"])
            stranger.kill()
            #expect(try await stranger.waitForExit() == -SIGKILL)
            #expect(try await home.program.stop() == 0)
        }
    }

    @Test func `a browser that ends at once is started again after growing pauses`() async throws {
        try await Scratch.with { scratch in
            let browser = try scratch.writeProgram("#!/bin/sh\nexit 1\n", to: "browser")
            let home = try await HomeFixture(["--browser", browser], in: scratch)
            try await home.says(Self.anew, times: 3)
            let pauses = try home.program.log().matches(of: /pause=([0-9.]+) seconds/).compactMap { Double($0.1) }
            #expect(pauses.prefix(3) == [0, 1, 2])
            #expect(try await home.program.stop() == 0)
        }
    }

    @Test func `a page that dies whenever it is there ends neither the home screen nor its next window`() async throws {
        try await Scratch.with { scratch in
            let home = try await HomeFixture(in: scratch)
            for time in 1...3 {
                try await home.person(["reads", "Ready"])
                try await home.person(["crash", String(home.program.pid)])
                try await home.says(Self.anew, times: time)
            }
            try await home.person(["reads", "Ready"])
            try await home.close()
            #expect(try await home.program.waitForExit() == 0)
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
