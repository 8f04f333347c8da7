// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import Files
import Foundation
import Processes
import TestSupport
import Testing
import UnixSocket

/// The profile that a worker's Firefox starts with. A script acts as Firefox.
@Suite(.timeLimit(.minutes(5))) struct FirefoxProfileTests {
    /// Sends its argument to the test.
    private static let say = """
        say() { /usr/bin/python3 -c 'import socket,sys; \\
        socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM).sendto(sys.argv[1].encode(),"FOLDER/events")' "$1"; }

        """
    /// A command with which the first start and the windows print their display and the number of their network
    /// interfaces.
    private static let surroundings = #"echo "$DISPLAY $(grep -c : /proc/net/dev)""#
    /// Sends the profile's notes to the test when a page opens, and adds a note. Firefox shows no page if its profile
    /// is missing.
    private static let page = """
        say "$(cat "$1/notes" || { [ -d "$1" ] && echo none || echo missing; })"
        echo page >>"$1/notes"
        exec /bin/sleep 600
        """

    /// Starts an agent whose Firefox is a script; `firstStart` is what the script does at Firefox's first start.
    private func withAgent(
        firstStart: String, _ body: (AgentFixture, RunningProgram, Broker, NoticeSocket) async throws -> Void
    ) async throws {
        try await Scratch.with { scratch in
            let events = try NoticeSocket(path: scratch.path("events"))
            let script = "#!/bin/sh\n" + Self.say + #"[ "$MOZ_HEADLESS" ] && { "# + firstStart + "; }\n"
            let browser = try scratch.writeProgram(
                (script + Self.page).replacing("FOLDER", with: scratch.path), to: "browser")
            let live = try AgentFixture(scratch, command: [browser, "{profile}", "{url}"], kind: "firefox")
            let agent = try await live.startAgent(environment: ["DISPLAY": ":1"])
            let broker = try await live.accept()
            try await body(live, agent, broker, events)
        }
    }

    private func awaitLog(_ text: String, of agent: RunningProgram, _ live: AgentFixture) async throws {
        let log = agent.logPath
        try await FolderWatch(live.scratch.path).until(text) { try textOfFile(log).contains(text) }
    }

    /// Opens a page in a session of its own; returns the notes that its Firefox found in the profile.
    private func notes(_ live: AgentFixture, _ broker: Broker, _ events: NoticeSocket) async throws -> String? {
        let page = AgentOrder.pages + 1
        try broker.send(.browse(id: page, epoch: live.epoch, address: nil))
        #expect(try await broker.nextAfterObstacles() == .opened(id: page))
        let notes = try await blocking { try events.notice(or: nil, seconds: 60)?.text }
        try broker.send(.close(epoch: live.epoch))
        // Before that, the agent may report that the script has no extension.
        while try await broker.next() != .closed(epoch: live.epoch) {}
        return notes
    }

    /// Whether the folder of the first start is gone.
    private func isGone(_ live: AgentFixture) throws -> Bool {
        try !Directory(path: live.scratch.path("profiles")).names().contains("first-start")
    }

    @Test func `each session begins with the profile of a first start that had no screen and no network`() async throws
    {
        let firstStart = "(" + Self.surroundings + #") >"$1/notes"; exit"#
        try await withAgent(firstStart: firstStart) { live, agent, broker, events in
            try await awaitLog("a profile of Firefox is prepared", of: agent, live)
            #expect(try isGone(live))
            for _ in 1...2 { #expect(try await notes(live, broker, events) == " 1") }
        }
    }

    @Test(arguments: ["exit 1", "kill -KILL $PPID", #"rm -r "$1"; exit"#])
    func `if the first start fails, sessions begin with an empty profile, and the log says so`(
        firstStart: String
    ) async throws {
        try await withAgent(firstStart: firstStart) { live, agent, broker, events in
            try await awaitLog("no profile of Firefox is prepared", of: agent, live)
            #expect(try isGone(live))
            #expect(try await notes(live, broker, events) == "none")
        }
    }

    @Test func `a first start that has failed is tried again after the session`() async throws {
        let firstStart = #"echo made >"$1/notes"; [ -e FOLDER/works ]; exit"#
        try await withAgent(firstStart: firstStart) { live, agent, broker, events in
            try await awaitLog("no profile of Firefox is prepared", of: agent, live)
            try Data().write(to: URL(filePath: live.scratch.path("works")))
            #expect(try await notes(live, broker, events) == "none")
            try await awaitLog("a profile of Firefox is prepared", of: agent, live)
            #expect(try await notes(live, broker, events) == "made")
        }
    }

    @Test func `a first start that still runs is ended before a page opens, and sessions begin with an empty profile`()
        async throws
    {
        try await withAgent(firstStart: "say start; exec /bin/sleep 600") { live, agent, broker, events in
            #expect(try await blocking { try events.notice(or: nil, seconds: 60)?.text } == "start")
            let running = try ProcessTable.read().descendants(of: agent.pid)
            #expect(!running.isEmpty)
            #expect(try await notes(live, broker, events) == "none")
            #expect(try ProcessTable.read().stillRunning(running) == [])
        }
    }

    @Test func `an ended agent leaves no first start running`() async throws {
        try await withAgent(firstStart: "say start; exec /bin/sleep 600") { live, agent, _, events in
            #expect(try await blocking { try events.notice(or: nil, seconds: 60)?.text } == "start")
            let running = try ProcessTable.read().descendants(of: agent.pid)
            #expect(try await agent.stop() == 0)
            #expect(try ProcessTable.read().stillRunning(running) == [])
            #expect(try isGone(live))
        }
    }
}
