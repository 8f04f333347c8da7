// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import FoundationEssentials
import Processes
import TestSupport
import Testing
import UnixSocket

/// The real agent, Debian's Chromium and a simulated person, with a small https site to sign in to.
@Suite(.serialized) struct PersonTests {
    private static let password = "pä\"ss wörd-canary"

    private struct Site: Decodable {
        let broker: Int
        let login: Int
        let spki: String
    }

    private struct Submission: Decodable, Equatable {
        let event: String
        var username: String?
        var password: String?
    }

    /// Starts an agent, and a person who has these traits and uses the agent's browser. Runs `body` when the page is
    /// open.
    private func withPerson(
        _ traits: String, _ body: (AgentFixture, RunningProgram, Broker, NoticeSocket) async throws -> Void
    ) async throws {
        try await Scratch.with { scratch in
            let events = try NoticeSocket(path: scratch.path("events"))
            let people = Repository.root + "/Tests/Person"
            _ = try await RunningProgram.start(
                "/usr/bin/python3", [people + "/site.py", scratch.path, events.path], log: "site.log", in: scratch)
            let site = try JSONDecoder().decode(Site.self, from: Data(textOfFile(scratch.path("site.json")).utf8))
            let person = try scratch.write(
                #"{"username":"amara@baton.test","password":"pä\"ss wörd-canary"\#(traits)}"#, to: "person.json")
            let live = try AgentFixture(
                scratch,
                command: [
                    "/usr/bin/python3", people + "/person.py", "--person", person, "--profile", "{profile}",
                    "--log", scratch.path("person.log"), "--host-resolver-rules=MAP login.baton.test 127.0.0.1",
                    "--ignore-certificate-errors-spki-list=\(site.spki)", "{url}",
                ])
            let agent = try await live.startAgent()
            let broker = try await live.accept()
            try broker.send(.open(id: 1, epoch: live.epoch, url: "http://127.0.0.1:\(site.broker)/start"))
            #expect(try await broker.next() == .opened(id: 1))
            #expect(try await next(events).event == "page")
            let temporary = try live.temporary
            try await body(live, agent, broker, events)
            #expect(try !isThere(live.profile))
            #expect(try !isThere(temporary))
            for log in ["agent.log", "person.log"] {
                let text = try textOfFile(scratch.path(log))
                #expect(!text.contains("canary") && !text.contains("amara") && !text.contains("/start"))
            }
        }
    }

    private func next(_ events: NoticeSocket) async throws -> Submission {
        try JSONDecoder().decode(Submission.self, from: Data(try await events.next().utf8))
    }

    /// Searches for what the person types. The expectations in `rules` must hold.
    private func search(_ live: AgentFixture, _ rules: [String]) async throws {
        let canaries = #"{"username":"amara@baton.test","password":"pä\"ss wörd-canary"}"#
        let search = try await TraceSearchRun(for: canaries, rules, in: live.scratch)
        #expect(search.code == 0, "\(search.output)")
    }

    /// The parts of Chromium that run, recognised by words in the command lines of its processes.
    private func parts(of processes: [ProcessTable.Entry]) throws -> Set<String> {
        // A process may have ended since the table was read.
        let lines = processes.compactMap { try? textOfFile("/proc/\($0.pid)/cmdline") }
        return Set(
            ["person.py", "zygote", "crashpad", "renderer"].filter { part in lines.contains { $0.contains(part) } })
    }

    @Test func `a person signs in with real keys on a real page, and nothing of the browser outlives its epoch`()
        async throws
    {
        try await withPerson("") { live, agent, broker, events in
            let submission = Submission(event: "submitted", username: "amara@baton.test", password: Self.password)
            #expect(try await next(events) == submission)
            #expect(try await next(events).event == "end")
            let processes = try ProcessTable.read().descendants(of: agent.pid)
            #expect(try parts(of: processes) == ["person.py", "zygote", "crashpad", "renderer"])
            #expect(try isThere(live.profile + "/browser/Default"))
            let person = try #require(processes.first { $0.parent == agent.pid && $0.group == $0.pid })
            try await search(live, ["--process", "person=\(person.pid)", "--expect-hit", "person=username,password"])
            try await search(
                live,
                [
                    "--process", "agent=\(agent.pid)", "--surface", "log=\(agent.logPath)", "--expect-none",
                ])
            try broker.send(.close(epoch: live.epoch))
            #expect(try await broker.next() == .closed(epoch: live.epoch))
            #expect(try ProcessTable.read().stillRunning(processes).isEmpty)
            #expect(try ProcessTable.read().descendants(of: agent.pid).isEmpty)
        }
    }

    @Test func `leftovers of Chromium after a killed agent are removed before the next agent connects`() async throws {
        try await withPerson("") { live, agent, _, events in
            #expect(try await next(events).event == "submitted")
            #expect(try await next(events).event == "end")
            let processes = try ProcessTable.read().descendants(of: agent.pid)
            agent.kill()
            try await agent.waitForExit()
            #expect(try parts(of: processes) == ["person.py", "zygote", "crashpad", "renderer"])
            _ = try await live.startAgent()
            #expect(try ProcessTable.read().stillRunning(processes).isEmpty)
        }
    }

    @Test func `a worker who mistypes the password can try again`() async throws {
        try await withPerson(#","wrongPasswordFirst":true"#) { live, _, broker, events in
            #expect(try await next(events).password == "not " + Self.password)
            #expect(try await next(events).password == Self.password)
            #expect(try await next(events).event == "end")
            try broker.send(.close(epoch: live.epoch))
            #expect(try await broker.next() == .closed(epoch: live.epoch))
        }
    }

    @Test func `the agent reports a closed browser to the broker`() async throws {
        try await withPerson(#","closeInsteadOfSignIn":true"#) { live, agent, broker, _ in
            #expect(try await broker.next() == .browserExited(epoch: live.epoch))
            #expect(try ProcessTable.read().descendants(of: agent.pid).isEmpty)
            #expect(try isThere(live.profile))
            try broker.send(.close(epoch: live.epoch))
            #expect(try await broker.next() == .closed(epoch: live.epoch))
        }
    }

    @Test func `a second page in the same epoch is opened in the running browser`() async throws {
        try await withPerson("") { live, agent, broker, events in
            #expect(try await next(events).event == "submitted")
            #expect(try await next(events).event == "end")
            let site = try JSONDecoder().decode(
                Site.self, from: Data(textOfFile(live.scratch.path("site.json")).utf8))
            try broker.send(.open(id: 2, epoch: live.epoch, url: "http://127.0.0.1:\(site.broker)/start"))
            #expect(try await broker.next() == .opened(id: 2))
            for event in ["page", "submitted", "end"] { #expect(try await next(events).event == event) }
            try broker.send(.close(epoch: live.epoch))
            #expect(try await broker.next() == .closed(epoch: live.epoch))
            #expect(try ProcessTable.read().descendants(of: agent.pid).isEmpty)
        }
    }
}
