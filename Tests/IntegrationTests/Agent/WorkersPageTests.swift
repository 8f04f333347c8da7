// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import Glibc
import Processes
import TestSupport
import Testing
import UnixSocket

/// The real agent reports for each of the worker's pages whether the browser shows it. Scripts act as the browser.
@Suite(.timeLimit(.minutes(10))) struct WorkersPageTests {
    /// The first process shows its page. A later process passes its page on to the first. If the folder has a file
    /// `waits`, the later process instead waits until the first process has ended, and replaces it.
    private static let browser = """
        #!/bin/sh
        say() { SAY; }
        serve() {
            printf %s "$BATON_BROWSER_NUMBER" >FOLDER/profiles/extension/new
            mv FOLDER/profiles/extension/new FOLDER/profiles/extension/ready
        }
        if mkdir "$1/first" 2>/dev/null; then
            mkfifo "$1/life"; exec 3<>"$1/life"
            serve
        elif [ -e FOLDER/waits ]; then
            # Reads the end of the file when the first process has ended.
            exec 4<"$1/life"; say waiting; read -r _ <&4
            serve
        else
            exit 0
        fi
        exec /bin/sleep 600
        """

    /// Sends the first argument to the test.
    private static let say = """
        /usr/bin/python3 -c 'import socket,sys; \\
        socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM).sendto(sys.argv[2].encode(),sys.argv[1])' FOLDER/events "$1"
        """

    private let first = AgentOrder.pages + 1
    private let second = AgentOrder.pages + 2

    /// Starts an agent whose browser is this program.
    private func withAgent(
        _ script: String?, _ body: (AgentFixture, RunningProgram, Broker, NoticeSocket) async throws -> Void
    ) async throws {
        try await Scratch.with { scratch in
            let events = try NoticeSocket(path: scratch.path("events"))
            if let script {
                let text = script.replacing("SAY", with: Self.say).replacing("FOLDER", with: scratch.path)
                try scratch.writeProgram(text, to: "browser")
            }
            let live = try AgentFixture(
                scratch, command: [scratch.path("browser"), "{profile}", "{url}"], kind: "chromium")
            let agent = try await live.startAgent()
            let broker = try await live.accept()
            try await body(live, agent, broker, events)
            try broker.send(.close(epoch: live.epoch))
            while try await broker.next() != .closed(epoch: live.epoch) {}
        }
    }

    private func browse(_ id: UInt64, _ live: AgentFixture, _ broker: Broker) async throws {
        try broker.send(.browse(id: id, epoch: live.epoch, address: nil))
        #expect(try await broker.next() == .opened(id: id))
    }

    /// Expects that the agent's next message reports that this page failed.
    private func expectFailure(of id: UInt64, _ broker: Broker) async throws {
        let message = try await broker.next()
        guard case .failed(id, "browser_ended", _) = message else {
            Issue.record("the agent says \(message)")
            return
        }
    }

    /// Returns the process that the agent started last, which is bubblewrap, or, with `isInner`, the browser that
    /// bubblewrap started.
    private func browser(of agent: RunningProgram, isInner: Bool) throws -> Int32 {
        let processes = try ProcessTable.read().descendants(of: agent.pid)
        let outer = try #require(processes.filter { $0.parent == agent.pid }.map(\.pid).max())
        guard isInner else { return outer }
        return try #require(processes.first { $0.parent == outer }).pid
    }

    @Test func `a page counts as shown when the browser's extension serves, and a later page when it is passed on`()
        async throws
    {
        try await withAgent(Self.browser) { live, _, broker, _ in
            for id in [first, second] {
                try await browse(id, live, broker)
                #expect(try await broker.next() == .shown(id: id))
            }
        }
    }

    @Test(arguments: [
        (script: nil, code: 1), (script: "#!/bin/sh\nexit 0\n", code: 0), (script: "#!/bin/sh\nexit 3\n", code: 3),
    ])
    func `a page is not shown if the browser is missing or exits at once`(script: String?, code: Int) async throws {
        try await withAgent(script) { live, agent, broker, _ in
            try await browse(first, live, broker)
            try await expectFailure(of: first, broker)
            let end = try await broker.next()
            #expect(end == (code == 0 ? .browserExited(epoch: live.epoch) : .browserBroke(epoch: live.epoch)))
            // The next page is opened in a new browser.
            try await browse(second, live, broker)
            try await expectFailure(of: second, broker)
        }
    }

    @Test(arguments: [false, true])
    func `a browser that is killed by a signal does not count as closed by the person`(isInner: Bool) async throws {
        let script = "#!/bin/sh\nsay() { SAY; }; say up\nexec /bin/sleep 600\n"
        try await withAgent(script) { live, agent, broker, events in
            try await browse(first, live, broker)
            #expect(try await events.next() == "up")
            kill(try browser(of: agent, isInner: isInner), SIGKILL)
            try await expectFailure(of: first, broker)
            _ = try await broker.next()
            let log = try agent.log()
            #expect(log.contains("a signal ended the browser") && log.contains("browser.signal=9"))
            #expect(!log.contains("the person closed the browser"))
        }
    }

    @Test func `a page whose process replaces a closed browser is shown when its extension serves`()
        async throws
    {
        try await withAgent(Self.browser) { live, agent, broker, events in
            try await browse(first, live, broker)
            #expect(try await broker.next() == .shown(id: first))
            let former = try browser(of: agent, isInner: true)
            try live.scratch.write("", to: "waits")
            try await browse(second, live, broker)
            #expect(try await events.next() == "waiting")
            kill(former, SIGTERM)
            #expect(try await broker.next() == .shown(id: second))
        }
    }

    @Test func `a page is not shown if the process that passes it on is killed`() async throws {
        try await withAgent(Self.browser) { live, agent, broker, events in
            try await browse(first, live, broker)
            #expect(try await broker.next() == .shown(id: first))
            try live.scratch.write("", to: "waits")
            try await browse(second, live, broker)
            #expect(try await events.next() == "waiting")
            kill(try browser(of: agent, isInner: true), SIGKILL)
            try await expectFailure(of: second, broker)
        }
    }
}
