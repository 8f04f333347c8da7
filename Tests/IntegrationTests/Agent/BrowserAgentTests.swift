// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import BrowserPolicies
import Files
import Foundation
import Glibc
import Processes
import TestSupport
import Testing
import UnixSocket

/// The real agent with a hostile browser, whose helper processes leave their parent, process group and session.
@Suite(.timeLimit(.minutes(10))) struct BrowserAgentTests {
    /// Each of the four helpers uses a pipe to report that it is running. Then the browser reports that it has started.
    private static let escaping = """
        mkfifo $TMPDIR/started; exec 3<>$TMPDIR/started; \
        (setsid /bin/sh -c 'echo >&3; exec /bin/sleep 600' &); \
        setsid /bin/sh -c '(/bin/sh -c "echo >&3; exec /bin/sleep 600" & echo >&3; exec /bin/sleep 600) & \
        echo >&3; exec /bin/sleep 600' & \
        for n in 1 2 3 4; do read -r _ <&3; done; exec 3>&-; \
        echo >$HOME/download; echo >$TMPDIR/socket; echo >{profile}/history; \
        exec /usr/bin/python3 -c 'import os,socket,sys; \
        socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM).sendto(b\"up\",sys.argv[1]); os.execv(\"/bin/sleep\",[\"sleep\",\"600\"])' \
        EVENTS {url}
        """

    private func withBrowser(
        _ body: (AgentFixture, RunningProgram, Broker, [ProcessTable.Entry]) async throws -> Void
    ) async throws {
        try await Scratch.with { scratch in
            let events = try NoticeSocket(path: scratch.path("events"))
            let script = Self.escaping.replacing("EVENTS", with: events.path)
            let live = try AgentFixture(scratch, command: ["/bin/sh", "-c", script])
            let agent = try await live.startAgent()
            let broker = try await live.accept()
            try broker.send(.open(id: 7, epoch: live.epoch, url: "http://127.0.0.1:9/canary-page"))
            #expect(try await broker.next() == .opened(id: 7))
            #expect(try await events.next() == "up")
            let processes = try ProcessTable.read().descendants(of: agent.pid)
            #expect(processes.count >= 5)
            #expect(try isThere(live.profile + "/home/download"))
            let temporary = try live.temporary
            #expect(!temporary.contains("\(live.epoch)"))
            #expect(try isThere(temporary + "/socket"))
            try await body(live, agent, broker, processes)
            #expect(try ProcessTable.read().stillRunning(processes).isEmpty)
            #expect(try Directory(path: live.scratch.path("profiles")).names() == [])
            #expect(try !isThere(temporary))
            #expect(try !agent.log().contains("canary"))
        }
    }

    @Test func `the page's address is in no argument list, and only the session's user can read it`() async throws {
        try await Scratch.with { scratch in
            let live = try AgentFixture(
                scratch, command: ["/usr/bin/python3", "-c", "import signal; signal.pause()", "{profile}", "{url}"])
            let agent = try await live.startAgent()
            let broker = try await live.accept()
            try broker.send(.open(id: 7, epoch: live.epoch, url: "http://127.0.0.1:9/canary-page?a=1&b=2"))
            #expect(try await broker.next() == .opened(id: 7))
            let lines = try ProcessTable.read().descendants(of: agent.pid).map {
                try textOfFile("/proc/\($0.pid)/cmdline")
            }
            #expect(lines.contains { $0.contains("\0file://\(live.profile)/start-1.html") })
            #expect(!lines.contains { $0.contains("canary-page") })
            let page = live.profile + "/start-1.html"
            #expect(try textOfFile(page).contains("url=http://127.0.0.1:9/canary-page?a=1&amp;b=2\""))
            let mode = try FileManager.default.attributesOfItem(atPath: page)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            try broker.send(.close(epoch: live.epoch))
            #expect(try await broker.next() == .closed(epoch: live.epoch))
        }
    }

    @Test func `an agent holds no page's address once it has closed the browser, and serves the next session`()
        async throws
    {
        try await Scratch.with { scratch in
            let live = try AgentFixture(
                scratch, command: ["/usr/bin/python3", "-c", "import signal; signal.pause()", "{profile}", "{url}"])
            let agent = try await live.startAgent()
            let broker = try await live.accept()
            try broker.send(.signIn(WebOrigin(of: try WebAddress("https://login.example/"))))
            func holds(_ rule: [String]) async throws {
                let texts = try JSONEncoder().encode(["page": "canary-page-of-a-worker"])
                let run = try await TraceSearchRun(
                    ["search", "--process", "agent=\(agent.pid)"] + rule, input: Array(texts), in: scratch)
                #expect(run.code == 0, "\(run.output)")
            }
            for id: UInt64 in [7, 8] {
                let epoch = Epoch.ID.random()
                try broker.send(.open(id: id, epoch: epoch, url: "http://127.0.0.1:9/canary-page-of-a-worker"))
                #expect(try await broker.next() == .opened(id: id))
                try await holds(["--expect-hit", "agent=page"])
                try broker.send(.close(epoch: epoch))
                #expect(try await broker.next() == .closed(epoch: epoch))
                // The agent has restarted by the time it answers the next order.
                try broker.send(.clearData(epoch: epoch, apps: [], until: 0))
                #expect(try await broker.next() == .dataCleared(epoch: epoch, failures: []))
                try await holds(["--expect-none"])
            }
            #expect(try await agent.stop() == 0)
        }
    }

    @Test func `an agent that starts anew keeps its configuration, whatever its file contains then`() async throws {
        try await Scratch.with { scratch in
            let live = try AgentFixture(
                scratch, command: ["/usr/bin/python3", "-c", "import signal; signal.pause()", "{profile}", "{url}"])
            let agent = try await live.startAgent()
            let broker = try await live.accept()
            let file = URL(filePath: scratch.path("agent.json"))
            let content = try String(contentsOf: file, encoding: .utf8)
            let other = content.replacing("profiles\"", with: "profiles-2\"")
            try #require(other != content)
            for (id, text): (UInt64, String) in [(7, String(content.dropLast(20))), (8, other)] {
                let epoch = Epoch.ID.random()
                try broker.send(.open(id: id, epoch: epoch, url: "http://127.0.0.1:9/page"))
                #expect(try await broker.next() == .opened(id: id))
                #expect(try isThere(scratch.path("profiles/\(epoch)")))
                try text.write(to: file, atomically: true, encoding: .utf8)
                try broker.send(.close(epoch: epoch))
                #expect(try await broker.next() == .closed(epoch: epoch))
                try broker.send(.clearData(epoch: epoch, apps: [], until: 0))
                #expect(try await broker.next() == .dataCleared(epoch: epoch, failures: []))
            }
            #expect(try await agent.stop() == 0)
            #expect(try !isThere(scratch.path("profiles-2")))
        }
    }

    @Test func `closing ends every process, also those that escaped, and removes every folder`() async throws {
        try await withBrowser { live, agent, broker, processes in
            try broker.send(.close(epoch: live.epoch))
            #expect(try await broker.next() == .closed(epoch: live.epoch))
            #expect(try ProcessTable.read().descendants(of: agent.pid).isEmpty)
            try broker.send(.close(epoch: live.epoch))
            #expect(try await broker.next() == .closed(epoch: live.epoch))
        }
    }

    @Test func `a profile in which something is mounted is not removed, and the broker gets the reason`() async throws {
        try await Scratch.with { scratch in
            let mounts = try await MountNamespace(in: scratch)
            let live = try AgentFixture(
                scratch, command: ["/usr/bin/python3", "-c", "import signal; signal.pause()", "{profile}", "{url}"])
            let agent = try await live.startAgent(through: mounts.entrance)
            let broker = try await live.accept()
            try broker.send(.open(id: 7, epoch: live.epoch, url: "http://127.0.0.1:9/page"))
            #expect(try await broker.next() == .opened(id: 7))
            let place = live.profile + "/home/drive"
            try await mounts.run("mkdir -p \(place); mount -t tmpfs -o size=1m drive \(place); touch \(place)/note")
            try broker.send(.close(epoch: live.epoch))
            let answer = try await broker.next()
            guard case .closeFailed(live.epoch, "profile_mounted", let message) = answer else {
                throw TestProblem("the agent says \(answer)")
            }
            #expect(message.contains("unmount it"))
            // The profile has been moved together with the file system mounted in it.
            try await mounts.run("drive=$(findmnt -rno TARGET -S drive); test -e $drive/note; umount $drive")
            try broker.send(.close(epoch: live.epoch))
            #expect(try await broker.next() == .closed(epoch: live.epoch))
            #expect(try Directory(path: scratch.path("profiles")).names() == [])
            #expect(try ProcessTable.read().descendants(of: agent.pid).isEmpty)
        }
    }

    @Test func `a browser that keeps restarting itself is gone when the broker gets the report`() async throws {
        try await Scratch.with { scratch in
            let runner = """
                #!/bin/sh
                [ "$1" -gt 2000 ] && exec /bin/sleep 600
                "$0" $(($1 + 1)) &
                """
            try scratch.writeProgram(runner, to: "runner")
            let script = "\(scratch.path("runner")) 0; : {profile} {url}; exec /bin/sleep 600"
            let live = try AgentFixture(scratch, command: ["/bin/sh", "-c", script])
            let agent = try await live.startAgent()
            let broker = try await live.accept()
            try broker.send(.open(id: 7, epoch: live.epoch, url: "http://127.0.0.1:9/page"))
            #expect(try await broker.next() == .opened(id: 7))
            var answer: AgentMessage
            repeat {
                try broker.send(.close(epoch: live.epoch))
                answer = try await broker.next()
            } while answer.isFailure
            #expect(answer == .closed(epoch: live.epoch))
            #expect(try ProcessTable.read().descendants(of: agent.pid).isEmpty)
            #expect(try !isThere(live.profile))
        }
    }

    @Test func `a lost connection closes everything before the next hello`() async throws {
        try await withBrowser { live, _, broker, processes in
            broker.channel.connection.shutDown()
            _ = try await live.accept()
            #expect(try ProcessTable.read().stillRunning(processes).isEmpty)
        }
    }

    @Test func `a browser whose policies cannot be applied does not start`() async throws {
        try await Scratch.with { scratch in
            let live = try AgentFixture(
                scratch, command: ["/bin/sh", "-c", "echo {profile} {url} >\(scratch.path("started"))"], kind: "firefox"
            )
            try Directory(path: scratch.path("profiles")).make()
            // A file is in the place of the folder for the browser's extension.
            try scratch.write("", to: "profiles/extension")
            let agent = try await live.startAgent()
            let broker = try await live.accept()
            let id = AgentOrder.pages + 1
            try broker.send(.browse(id: id, epoch: live.epoch, address: nil))
            guard case .failed(id, let code, _) = try await broker.next() else {
                Issue.record("the agent does not say that the browser failed")
                return
            }
            #expect(code == "policies_unavailable")
            #expect(try !isThere(scratch.path("started")))
            // The agent removes the folder of temporary files.
            #expect(try await agent.stop() == 0)
        }
    }

    @Test func `on a machine without user namespaces no window opens, and the broker learns why`() async throws {
        try await Scratch.with { scratch in
            let live = try AgentFixture(
                scratch, command: ["/bin/sh", "-c", "echo {profile} {url} >\(scratch.path("started"))"],
                kind: "chromium")
            let script = #"echo 0 >/proc/sys/user/max_user_namespaces && exec "$0" "$@""#
            _ = try await live.startAgent(
                through: ["/usr/bin/unshare", "--user", "--map-root-user", "/bin/sh", "-c", script])
            let broker = try await live.accept()
            #expect(try await broker.next() == .cannotOpen(.notConfined))
            let page = AgentOrder.pages + 1
            for order in [
                AgentOrder.open(id: 1, epoch: live.epoch, url: "http://127.0.0.1:1/"),
                .browse(id: page, epoch: live.epoch, address: nil),
            ] {
                try broker.send(order)
                guard case .failed(_, let code, _) = try await broker.next() else {
                    Issue.record("the agent does not say that the window failed")
                    return
                }
                #expect(code == "confinement_unavailable")
            }
            #expect(try !isThere(scratch.path("started")))
            try broker.send(.close(epoch: live.epoch))
            #expect(try await broker.next() == .closed(epoch: live.epoch))
        }
    }

    @Test func `a browser that does not know a policy opens no window, until another version is installed`()
        async throws
    {
        try await Scratch.with { scratch in
            let needed = ChromiumPolicies.names.needed
            func program(knowing names: Set<String>) -> String {
                "#!/bin/sh\nexec /bin/sleep 600\n\0" + names.sorted().joined(separator: "\0")
            }
            let browser = try scratch.writeProgram(
                program(knowing: needed.subtracting(["URLBlocklist", "SyncDisabled"])), to: "browser")
            let live = try AgentFixture(scratch, command: [browser, "{profile}", "{url}"], kind: "chromium")
            let agent = try await live.startAgent()
            let broker = try await live.accept()
            // The broker learns this before it orders a window.
            #expect(try await broker.next() == .cannotOpen(.policyUnknown))
            let page = AgentOrder.pages + 1
            for order in [
                AgentOrder.open(id: 1, epoch: live.epoch, url: "http://127.0.0.1:1/"),
                .browse(id: page, epoch: live.epoch, address: nil),
            ] {
                try broker.send(order)
                guard case .failed(_, let code, let message) = try await broker.nextAfterObstacles() else {
                    Issue.record("the agent does not say that the window failed")
                    return
                }
                #expect(code == "policy_unknown" && message.contains(": SyncDisabled, URLBlocklist. Install"))
            }
            #expect(try agent.log().contains("no window can open"))
            try scratch.writeProgram(program(knowing: needed), to: "next")
            try AtomicFile(path: scratch.path("next")).move(to: browser)
            try broker.send(.open(id: 2, epoch: live.epoch, url: "http://127.0.0.1:1/"))
            #expect(try await broker.nextAfterObstacles() == .opened(id: 2))
            try broker.send(.close(epoch: live.epoch))
            #expect(try await broker.next() == .closed(epoch: live.epoch))
        }
    }

    @Test func `what bubblewrap says is in the agent's log if a window does not start`() async throws {
        try await Scratch.with { scratch in
            let live = try AgentFixture(
                scratch, command: ["/bin/sh", "-c", "exec sleep 600", "{profile}", "{url}"], kind: "chromium")
            let script = #"mount --bind "$0" /usr/bin/bwrap && exec "$@""#
            let refusing = try scratch.writeProgram(
                """
                #!/bin/sh
                case "$*" in *end-window*) echo "bwrap: Can't mount proc on /canary: Permission denied" >&2; exit 1 ;; esac
                exec \(scratch.path("bwrap")) "$@"
                """, to: "refusing")
            try scratch.install("/usr/bin/bwrap", as: "bwrap")
            let agent = try await live.startAgent(
                through: ["/usr/bin/unshare", "--mount"] + (geteuid() == 0 ? [] : ["--map-root-user"]) + [
                    "/bin/sh", "-c", script, refusing,
                ])
            let broker = try await live.accept()
            try broker.send(.open(id: 1, epoch: live.epoch, url: "http://127.0.0.1:1/"))
            #expect(try await broker.next() == .opened(id: 1))
            #expect(try await broker.next() == .browserBroke(epoch: live.epoch))
            let log = try agent.log()
            #expect(log.contains("bubblewrap=Can't mount proc (Permission denied)"), "\(log)")
            #expect(!log.contains("canary"))
            try broker.send(.close(epoch: live.epoch))
            #expect(try await broker.next() == .closed(epoch: live.epoch))
        }
    }

    @Test func `no browser starts once a file of its extension was changed`() async throws {
        try await Scratch.with { scratch in
            let live = try AgentFixture(
                scratch, command: ["/bin/sh", "-c", "echo {profile} {url} >\(scratch.path("started"))"],
                kind: "chromium")
            _ = try await live.startAgent()
            let broker = try await live.accept()
            let package = Directory(path: scratch.path("profiles/extension")).file("chromium.crx")
            try package.replace(with: Array("another extension".utf8))
            let id = AgentOrder.pages + 1
            try broker.send(.browse(id: id, epoch: live.epoch, address: nil))
            guard case .failed(id, let code, _) = try await broker.next() else {
                Issue.record("the agent does not say that the browser failed")
                return
            }
            #expect(code == "extension_changed")
            #expect(try !isThere(scratch.path("started")))
            try broker.send(.close(epoch: live.epoch))
            #expect(try await broker.next() == .closed(epoch: live.epoch))
        }
    }

    @Test func `no page opens once a file of the extension was changed while the browser runs`() async throws {
        try await Scratch.with { scratch in
            let live = try AgentFixture(
                scratch, command: ["/bin/sh", "-c", "exec sleep 600", "{profile}", "{url}"], kind: "chromium")
            _ = try await live.startAgent()
            let broker = try await live.accept()
            let id = AgentOrder.pages + 1
            try broker.send(.browse(id: id, epoch: live.epoch, address: nil))
            #expect(try await broker.next() == .opened(id: id))
            try Directory(path: scratch.path("profiles/extension")).file("chromium.crx")
                .replace(with: Array("another extension".utf8))
            try broker.send(.browse(id: id + 1, epoch: live.epoch, address: nil))
            guard case .failed(id + 1, "extension_changed", _) = try await broker.next() else {
                Issue.record("the agent does not say that the extension was changed")
                return
            }
            try broker.send(.close(epoch: live.epoch))
            #expect(try await broker.next() == .closed(epoch: live.epoch))
        }
    }

    @Test func `an agent whose program was replaced serves until the broker restarts, and then ends`() async throws {
        try await Scratch.with { scratch in
            let installed = try InstalledProgram("baton-agent", in: scratch)
            let live = try AgentFixture(
                scratch, command: ["/usr/bin/python3", "-c", "import signal; signal.pause()", "{profile}", "{url}"])
            let agent = try await live.startAgent(file: installed.path)
            let broker = try await live.accept()
            try installed.replace()
            try broker.send(.open(id: 7, epoch: live.epoch, url: "http://127.0.0.1:9/a"))
            #expect(try await broker.next() == .opened(id: 7))
            try broker.send(.close(epoch: live.epoch))
            #expect(try await broker.next() == .closed(epoch: live.epoch))
            // If the broker disconnects while a browser is open, the agent ends the browser before it exits.
            try broker.send(.open(id: 8, epoch: live.epoch, url: "http://127.0.0.1:9/a"))
            #expect(try await broker.next() == .opened(id: 8))
            let processes = try ProcessTable.read().descendants(of: agent.pid)
            broker.channel.connection.shutDown()
            #expect(try await agent.waitForExit() == 0)
            #expect(try ProcessTable.read().stillRunning(processes).isEmpty)
            #expect(try Directory(path: live.scratch.path("profiles")).names() == [])
        }
    }

    @Test func `a malformed order counts as a lost connection`() async throws {
        try await withBrowser { live, _, broker, _ in
            try broker.channel.connection.write(Array(#"{"sing":{}}"#.utf8))
            _ = try await live.accept()
        }
    }

    @Test func `when asked to stop, the agent clears everything and exits successfully`() async throws {
        try await withBrowser { _, agent, _, _ in
            let code = try await agent.stop()
            #expect(code == 0)
        }
    }

    @Test func `leftovers of a killed agent are removed before the next agent connects`() async throws {
        try await withBrowser { live, agent, _, processes in
            agent.kill()
            try await agent.waitForExit()
            #expect(try ProcessTable.read().stillRunning(processes).count == processes.count)
            #expect(try isThere(live.profile))
            _ = try await live.startAgent()
        }
    }

    @Test func `the end of the browser itself is reported, and processes that it left running end`() async throws {
        try await withBrowser { live, agent, broker, processes in
            let browser = try #require(processes.first { $0.parent == agent.pid && $0.group == $0.pid })
            kill(browser.pid, SIGTERM)
            #expect(try await broker.next() == .browserExited(epoch: live.epoch))
            #expect(try ProcessTable.read().stillRunning(processes).isEmpty)
            #expect(try isThere(live.profile))
            try broker.send(.close(epoch: live.epoch))
            #expect(try await broker.next() == .closed(epoch: live.epoch))
        }
    }

    @Test func `a second agent with the same profiles is refused and changes nothing`() async throws {
        try await withBrowser { live, _, broker, processes in
            await #expect(throws: TestProblem.self) { try await live.startAgent() }
            #expect(try textOfFile(live.scratch.path("agent.log")).contains("already_running"))
            #expect(try ProcessTable.read().stillRunning(processes).count == processes.count)
            try broker.send(.close(epoch: live.epoch))
            #expect(try await broker.next() == .closed(epoch: live.epoch))
        }
    }

    @Test func `a temporary folder that other users may enter is not used, and the page is not opened`() async throws {
        try await Scratch.with { scratch in
            let live = try AgentFixture(scratch, command: ["/bin/sleep", "600", "{profile}", "{url}"])
            let agent = try await live.startAgent()
            let broker = try await live.accept()
            let folder = try live.recordTemporary()
            #expect(unsafe chmod(folder, 0o777) == 0)
            try broker.send(.open(id: 1, epoch: live.epoch, url: "http://127.0.0.1:9/"))
            guard case .failed(1, "profile_unavailable", _) = try await broker.next() else {
                Issue.record("the folder was used")
                return
            }
            #expect(try ProcessTable.read().descendants(of: agent.pid).isEmpty)
        }
    }

    @Test func `if another user has taken its name, the temporary folder gets a different one`() async throws {
        try #require(getuid() == 0, "a folder of another user needs the right to make one")
        try await Scratch.with { scratch in
            let live = try AgentFixture(
                scratch, command: ["/bin/sh", "-c", "exec /bin/sleep 600", "{profile}", "{url}"])
            _ = try await live.startAgent()
            let broker = try await live.accept()
            let taken = try live.recordTemporary()
            #expect(unsafe chown(taken, 65_534, 65_534) == 0)
            try broker.send(.open(id: 1, epoch: live.epoch, url: "http://127.0.0.1:9/"))
            #expect(try await broker.next() == .opened(id: 1))
            let temporary = try live.temporary
            #expect(temporary != taken)
            #expect(try isThere(temporary))
            try broker.send(.close(epoch: live.epoch))
            #expect(try await broker.next() == .closed(epoch: live.epoch))
            #expect(try !isThere(temporary) && isThere(taken))
        }
    }

    @Test func `a missing browser is a failure of the order, not of the agent`() async throws {
        try await Scratch.with { scratch in
            let live = try AgentFixture(scratch, command: ["/nonexistent/browser", "{profile}", "{url}"])
            _ = try await live.startAgent()
            let broker = try await live.accept()
            try broker.send(.open(id: 1, epoch: live.epoch, url: "http://127.0.0.1:9/"))
            guard case .failed(1, "browser_unavailable", _) = try await broker.next() else {
                Issue.record("it was opened")
                return
            }
            try broker.send(.close(epoch: live.epoch))
            #expect(try await broker.next() == .closed(epoch: live.epoch))
        }
    }

    @Test func `an unusable configuration is reported with its remedy`() async throws {
        try await Scratch.with { scratch in
            try scratch.write(#"{"socket":"/s","colour":"red"}"#, to: "agent.json")
            let agent = try await RunningProgram.start(
                try RunningProgram.built("baton-agent"), ["--config", scratch.path("agent.json")], log: "agent.log",
                awaitsReady: false, in: scratch)
            #expect(try await agent.waitForExit() == 78)
            #expect(
                try agent.log()
                    == "baton-agent: colour is not a key of this file. Remove it, or use one of: socket, browser, trash, logLevel, logFormat.\n"
            )
        }
    }
}

extension AgentMessage {
    fileprivate var isFailure: Bool {
        if case .closeFailed = self { true } else { false }
    }
}
