// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import Files
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
        serve() { (set -- "$BATON_BROWSER_NUMBER"; events=profiles/extension/ready; SAY); }
        mkdir -p "$1"
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

    /// Sends the first argument to the test, or to the socket whose name is in `events`.
    private static let say = """
        /usr/bin/python3 -c 'import socket,sys; \\
        socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM).sendto(sys.argv[2].encode(),sys.argv[1])' \\
        FOLDER/${events:-events} "$1"
        """

    private let first = AgentOrder.pages + 1
    private let second = AgentOrder.pages + 2

    /// Starts an agent whose browser is `script`; the browser is missing if `script` is nil.
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

    private func browse(_ id: UInt64, _ live: AgentFixture, _ broker: Broker, isPassedOn: Bool = false) async throws {
        try broker.send(.browse(id: id, epoch: live.epoch, address: nil))
        #expect(try await broker.next() == (isPassedOn ? .passed(id: id) : .opened(id: id)))
    }

    /// Expects the agent's next message to report that this page failed.
    private func expectFailure(of id: UInt64, _ broker: Broker) async throws {
        let message = try await broker.next()
        guard case .failed(id, "browser_ended", _) = message else {
            Issue.record("the agent says \(message)")
            return
        }
    }

    /// Returns the sandbox, which is a child of the agent; with `isInner`, returns the newest live process inside it.
    /// The process that reports to the test, which may not have ended yet, does not count.
    private func browser(of agent: RunningProgram, isInner: Bool) throws -> Int32 {
        let processes = try ProcessTable.read().descendants(of: agent.pid)
        guard isInner else { return try #require(processes.first { $0.parent == agent.pid }).pid }
        let others = processes.filter { process in
            // A process that has ended has no command line, even while its entry does not say so yet.
            guard let command = try? textOfFile("/proc/\(process.pid)/cmdline") else { return false }
            return !command.isEmpty && !command.hasPrefix("/usr/bin/python3")
        }
        return try #require(others.max { ($0.startTime, $0.pid) < ($1.startTime, $1.pid) }).pid
    }

    @Test func `a page counts as shown when the browser's extension serves, and a later page when it is passed on`()
        async throws
    {
        try await withAgent(Self.browser) { live, _, broker, _ in
            for id in [first, second] {
                try await browse(id, live, broker, isPassedOn: id == second)
                #expect(try await broker.next() == .shown(id: id))
            }
        }
    }

    @Test(arguments: [
        nil, "#!/bin/sh\nexit 0\n", "#!/bin/sh\nexit 3\n",
    ])
    func `a page is not shown if the browser is missing or exits at once`(script: String?) async throws {
        try await withAgent(script) { live, _, broker, _ in
            try await browse(first, live, broker)
            try await expectFailure(of: first, broker)
            // The next page is opened in a new browser.
            try await browse(second, live, broker, isPassedOn: true)
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
            try await browse(second, live, broker, isPassedOn: true)
            #expect(try await events.next() == "waiting")
            kill(former, SIGTERM)
            #expect(try await broker.next() == .shown(id: second))
        }
    }

    /// Listens at a TCP port and an abstract socket, and receives a file, which the test sends when everything is open.
    private static let holding = """
        #!/usr/bin/python3
        import os, signal, socket
        ready = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        def say(text, name): ready.sendto(text.encode(), "FOLDER/" + name)
        port = socket.socket(); port.bind(("127.0.0.1", 0)); port.listen()
        named = socket.socket(socket.AF_UNIX); named.bind("\\0" + "canary-" + os.urandom(8).hex()); named.listen()
        connected = socket.socket(); connected.connect(port.getsockname())
        inside = open(os.environ["HOME"] + "/history", "w")
        memory = os.memfd_create("memory")
        test = socket.socket(socket.AF_UNIX); test.connect("FOLDER/files")
        say("connected", "events")
        files = []
        while len(files) < FILES: files += socket.recv_fds(test, 64, 1)[1]
        say(str(port.getsockname()[1]), "events")
        say(os.environ["BATON_BROWSER_NUMBER"], "profiles/extension/ready")
        signal.pause()
        """

    /// What the test gives a browser from outside its confinement.
    enum Given: String, CaseIterable { case nothing, file, fifo, terminal, nullDevice, pipe }

    @Test(arguments: Given.allCases)
    func `the agent names what a browser holds open, when its extension is ready and before it is ended`(
        given: Given
    ) async throws {
        let script = Self.holding.replacing("FILES", with: given == .nothing ? "0" : "1")
        try await withAgent(script) { live, agent, broker, events in
            let files = try Listener(path: live.scratch.path("files"), mode: 0o600)
            try await browse(first, live, broker)
            #expect(try await events.next() == "connected")
            if given != .nothing {
                let browser = try await blocking { FrameConnection(try files.accept(), maximumFrame: 64) }
                try browser.write([0], descriptors: [Self.opened(given, in: live.scratch)])
            }
            let port = try #require(UInt16(try await events.next()))
            #expect(try await broker.next() == .shown(id: first))
            var expected: Set<OpenResource> = [.port(port), .abstractSocket]
            if [.file, .fifo, .terminal].contains(given) { expected.insert(.outsideFile) }
            for _ in 0..<2 {
                let seen = try await broker.examination()
                #expect(seen.found == expected && seen.isComplete)
                try broker.send(.examine(epoch: live.epoch))
            }
            _ = try await broker.examination()
            try broker.send(.close(epoch: live.epoch))
            #expect(try await broker.examination().found == expected)
            let log = try agent.log()
            #expect(log.contains("a browser holds something open") && log.contains("tcp_port:\(port)"))
            #expect(!log.contains("canary"))
        }
    }

    private static func opened(_ given: Given, in scratch: Scratch) throws -> Descriptor {
        let path: String
        switch given {
        case .nothing, .file: path = try scratch.write("note", to: "outside")
        case .terminal: path = "/dev/ptmx"
        case .nullDevice: path = "/dev/null"
        case .fifo:
            path = scratch.path("outside")
            guard unsafe mkfifo(path, 0o600) == 0 else { throw TestProblem("error \(errno)") }
        case .pipe:
            var ends: [Int32] = [-1, -1]
            guard unsafe pipe(&ends) == 0 else { throw TestProblem("error \(errno)") }
            _ = Descriptor(owning: ends[0])
            return Descriptor(owning: ends[1])
        }
        let number = unsafe open(path, O_RDWR)
        guard number >= 0 else { throw TestProblem("error \(errno)") }
        return Descriptor(owning: number)
    }

    /// Runs as a child of the agent without any confinement, and listens at a TCP port.
    private static let unconfined = """
        import os, signal, socket
        port = socket.socket(); port.bind(("127.0.0.1", 0)); port.listen()
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(str(port.getsockname()[1]).encode(), "FOLDER/events")
        signal.pause()
        """

    @Test(arguments: [false, true])
    func `the agent examines a program that has a browser's mark and is not confined`(isMarked: Bool) async throws {
        try await Scratch.with { scratch in
            let events = try NoticeSocket(path: scratch.path("events"))
            try scratch.writeProgram(
                Self.browser.replacing("SAY", with: Self.say).replacing("FOLDER", with: scratch.path), to: "browser")
            let program = try scratch.write(Self.unconfined.replacing("FOLDER", with: scratch.path), to: "program")
            let live = try AgentFixture(
                scratch, command: [scratch.path("browser"), "{profile}", "{url}"], kind: "chromium")
            let mark = isMarked ? "\(BrowserProfile.markName)=\(live.profile)" : ""
            // A starting agent ends all programs that have the mark, so the program waits until the agent has started.
            let start = try Self.opened(.fifo, in: scratch)
            let waiting = "(read -r _ <'\(scratch.path("outside"))'; exec env \(mark) /usr/bin/python3 '\(program)') & "
            let agent = try await live.startAgent(through: ["/bin/sh", "-c", waiting + #"exec "$0" "$@""#])
            let broker = try await live.accept()
            try start.withNumber { try FileWriting.writeAll([0x0A], to: $0, path: "the waiting program") }
            let port = try #require(UInt16(try await events.next()))
            try await browse(first, live, broker)
            #expect(try await broker.next() == .shown(id: first))
            let seen = try await broker.examination()
            #expect(seen.found == (isMarked ? [.port(port), .outsideFile] : []) && seen.isComplete)
            #expect(try agent.log().contains("tcp_port:\(port)") == isMarked)
            try broker.send(.close(epoch: live.epoch))
            while try await broker.next() != .closed(epoch: live.epoch) {}
        }
    }

    @Test func `the agent finds nothing in a browser that holds nothing open`() async throws {
        try await withAgent(Self.browser) { live, _, broker, _ in
            try await browse(first, live, broker)
            #expect(try await broker.next() == .shown(id: first))
            for moment in [BrowserExamination.Moment.started, .ending] {
                #expect(try await broker.examination() == BrowserExamination(moment))
                try broker.send(.examine(epoch: live.epoch))
            }
        }
    }

    /// Listens at a port for a moment, after the agent's first look.
    private static let briefly = """
        #!/usr/bin/python3
        import os, signal, socket
        ready = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        ready.sendto(os.environ["BATON_BROWSER_NUMBER"].encode(), "FOLDER/profiles/extension/ready")
        test = socket.socket(socket.AF_UNIX); test.connect("FOLDER/signal")
        test.recv(64)
        port = socket.socket(); port.bind(("127.0.0.1", 0)); port.listen()
        ready.sendto(str(port.getsockname()[1]).encode(), "FOLDER/events")
        test.recv(64)
        port.close()
        ready.sendto(b"closed", "FOLDER/events")
        signal.pause()
        """

    /// This is why the receipt of each session lists `listening_ports` in `unobserved` (LeftoverPageTests).
    @Test func `a port that was open only between two looks of the agent is not in its reports`() async throws {
        try await withAgent(Self.briefly) { live, _, broker, events in
            let signals = try Listener(path: live.scratch.path("signal"), mode: 0o600)
            try await browse(first, live, broker)
            let browser = try await blocking { FrameConnection(try signals.accept(), maximumFrame: 64) }
            #expect(try await broker.next() == .shown(id: first))
            #expect(try await broker.examination() == BrowserExamination(.started))
            try browser.write([1])
            let port = try #require(UInt16(try await events.next()))
            #expect(port > 0)
            try browser.write([1])
            #expect(try await events.next() == "closed")
            try broker.send(.examine(epoch: live.epoch))
            #expect(try await broker.examination() == BrowserExamination(.ending))
        }
    }

    @Test func `a page is not shown if the process that passes it on is killed`() async throws {
        try await withAgent(Self.browser) { live, agent, broker, events in
            try await browse(first, live, broker)
            #expect(try await broker.next() == .shown(id: first))
            try live.scratch.write("", to: "waits")
            try await browse(second, live, broker, isPassedOn: true)
            #expect(try await events.next() == "waiting")
            kill(try browser(of: agent, isInner: true), SIGKILL)
            try await expectFailure(of: second, broker)
        }
    }
}
