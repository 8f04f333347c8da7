// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import Foundation
import Glibc
import Processes
import TestSupport
import Testing

/// A real agent whose sign-in window is a real Chromium, with a person at the screen.
@Suite(.timeLimit(.minutes(10))) struct SignInWindowTests {
    @Test func `a second window ends with the page, even if what it shows asks the person to stay`() async throws {
        try await Scratch.with { scratch in
            let (_, display) = try await VirtualScreen.start(in: scratch)
            let port = try #require(FreePort.tcp())
            let person = try await RunningProgram.start(
                "/usr/bin/python3", [Repository.root + "/Tests/Person/held_window.py", "\(port)"],
                environment: ["DISPLAY": display], log: "person.log", awaitsReady: false, in: scratch)
            try await FolderWatch(scratch.path).until("the pages") { try !person.log().isEmpty }
            let command = [
                "/usr/lib/chromium/chromium", "--user-data-dir={profile}", "--no-first-run", "--disable-gpu",
                "--password-store=basic", "--app={url}",
            ]
            let live = try AgentFixture(
                scratch, command: command + (geteuid() == 0 ? ["--no-sandbox"] : []), kind: "chromium")
            let agent = try await live.startAgent(environment: ["DISPLAY": display, "WAYLAND_DISPLAY": ""])
            let broker = try await live.accept()
            try broker.send(.open(id: 1, epoch: live.epoch, url: "http://127.0.0.1:\(port)/sign-in"))
            #expect(try await broker.next() == .opened(id: 1))
            let code = try await person.waitForExit()
            let said = try person.log()
            // Otherwise the window would stay open.
            if code != 0 { agent.kill() }
            try #require(code == 0, "\(said)")
            #expect(try await broker.next() == .browserExited(epoch: live.epoch))
            try broker.send(.close(epoch: live.epoch))
            #expect(try await broker.next() == .closed(epoch: live.epoch))
        }
    }
}
