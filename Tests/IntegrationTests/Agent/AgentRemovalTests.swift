// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import Files
import Glibc
import Processes
import TestSupport
import Testing
import UnixSocket

/// Files and processes that a browser may leave, by accident or on purpose, and that hinder the agent's clean-up.
@Suite struct AgentRemovalTests {
    /// Starts a browser that runs `script`. The script ends with `SAY`, which reports that everything is in place.
    private func withBrowser(
        _ script: String, environment: [String: String] = [:], without: [String],
        _ body: (AgentFixture, RunningProgram, Broker, String) async throws -> Void
    ) async throws {
        try await Scratch.with { scratch in
            let events = try NoticeSocket(path: scratch.path("events"))
            try scratch.write(script, to: "browser.sh")
            try scratch.write(
                """
                import os, socket, sys
                socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(sys.argv[2].encode(), sys.argv[1])
                os.execv("/bin/sleep", ["sleep", "600"])
                """, to: "say.py")
            let say = "exec /usr/bin/python3 \(scratch.path("say.py")) \(events.path)"
            try scratch.write(try textOfFile(scratch.path("browser.sh")).replacing("SAY", with: say), to: "browser.sh")
            let command = ["/bin/bash", scratch.path("browser.sh"), "{profile}", "{url}"]
            let live = try AgentFixture(scratch, command: command)
            let agent = try await live.startAgent(environment: environment, without: without)
            let broker = try await live.accept()
            try broker.send(.open(id: 1, epoch: live.epoch, url: "http://127.0.0.1:9/"))
            #expect(try await broker.next() == .opened(id: 1))
            let said = try await events.next()
            try await body(live, agent, broker, said)
        }
    }

    @Test func `folders without permissions and very deep folders do not delay the device`() async throws {
        let script = """
            mkdir -p "$1/archive/inner" "$1/locked/inner" "$TMPDIR/archive"
            echo >"$1/archive/file"; echo >"$1/archive/inner/file"; echo >"$1/locked/inner/file"; echo >"$TMPDIR/archive/x"
            ln -s /etc "$1/archive/link"
            chmod 0555 "$1/archive/inner" "$1/archive" "$TMPDIR/archive"; chmod 0 "$1/locked"
            cd "$1"; name=$(printf '%0200d' 0)
            for n in {1..40}; do mkdir $name && cd -P $name; done
            SAY up
            """
        try await withBrowser(script, without: ["dac_override", "dac_read_search"]) { live, _, broker, _ in
            let temporary = try live.temporary
            try broker.send(.close(epoch: live.epoch))
            #expect(try await broker.next() == .closed(epoch: live.epoch))
            #expect(try Directory(path: live.scratch.path("profiles")).names() == [])
            #expect(try !isThere(temporary))
            #expect(try isThere("/etc/passwd"))
        }
    }

    @Test func `if one process cannot be killed all others are, and the device does not count as cleared`()
        async throws
    {
        let script = """
            mkfifo "$1/fifo"
            /usr/bin/setpriv --reuid=65534 --clear-groups /bin/sh -c "echo; exec /bin/sleep 600" >"$1/fifo" & foreign=$!
            read -r _ <"$1/fifo"
            for n in 1 2 3; do /bin/sleep 600 & done
            SAY $foreign
            """
        try #require(getuid() == 0, "a process of another user needs the right to make one")
        try await withBrowser(script, without: ["kill"]) { live, agent, broker, said in
            let foreign = try ForeignProcess(pid: try #require(Int32(said)))
            defer { foreign.kill() }
            let others = try ProcessTable.read().descendants(of: agent.pid).filter { $0.pid != foreign.pid }
            #expect(others.count == 4)
            try broker.send(.close(epoch: live.epoch))
            guard case .closeFailed(live.epoch, "not_cleared", _) = try await broker.next() else {
                Issue.record("the browser counts as closed")
                return
            }
            #expect(try ProcessTable.read().stillRunning(others).isEmpty)
            #expect(try agent.log().contains("still there: \(foreign.pid)"))
            foreign.kill()
            try await foreign.waitForEnd()
            try broker.send(.close(epoch: live.epoch))
            #expect(try await broker.next() == .closed(epoch: live.epoch))
        }
    }

    @Test(arguments: [false, true])
    func `another user who takes the temporary folder's name holds up neither a sign-out nor a restart`(
        restarts: Bool
    ) async throws {
        try #require(getuid() == 0, "a folder of another user needs the right to make one")
        let rights = ["dac_override", "dac_read_search", "fowner"]
        try await withBrowser("SAY up", without: rights) { live, agent, broker, _ in
            let taken = try live.temporary
            live.scratch.atEnd { _ = try? Directory(path: taken).removeTree() }
            try Directory(path: taken).removeTree()
            try Directory(path: taken).make()
            #expect(unsafe chown(taken, 65_534, 65_534) == 0)
            if restarts {
                agent.kill()
                try await agent.waitForExit()
                _ = try await live.startAgent(without: rights)
                _ = try await live.accept()
            } else {
                try broker.send(.close(epoch: live.epoch))
                #expect(try await broker.next() == .closed(epoch: live.epoch))
            }
            #expect(try Directory(path: live.scratch.path("profiles")).names() == [])
            #expect(try isThere(taken))
        }
    }

    @Test func `even if the temporary folder cannot be removed, the whole profile is removed`() async throws {
        try #require(getuid() == 0, "a folder of another user needs the right to make one")
        let rights = ["dac_override", "dac_read_search", "fowner"]
        try await withBrowser("SAY up", without: rights) { live, _, broker, _ in
            let foreign = try live.temporary + "/foreign"
            try Directory(path: foreign + "/inner").make()
            #expect(unsafe chown(foreign, 65_534, 65_534) == 0)
            try broker.send(.close(epoch: live.epoch))
            guard case .closeFailed(live.epoch, "not_cleared", _) = try await broker.next() else {
                Issue.record("the browser counts as closed")
                return
            }
            #expect(try !isThere(live.profile))
            try Directory(path: foreign).removeTree()
            try broker.send(.close(epoch: live.epoch))
            #expect(try await broker.next() == .closed(epoch: live.epoch))
            #expect(try Directory(path: live.scratch.path("profiles")).names() == [])
        }
    }

    @Test func `a browser gets no path of the session outside its profile`() async throws {
        let session = [
            "DISPLAY": ":7", "LC_TIME": "de_DE.UTF-8", "WAYLAND_DISPLAY": "wayland-3", "XDG_RUNTIME_DIR": "/run/user/7",
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/7/bus", "SSH_AUTH_SOCK": "/run/user/7/ssh",
            "CREDENTIALS_DIRECTORY": "/run/credentials", "WATCHDOG_PID": "7", "LISTEN_FDNAMES": "x",
            "XDG_DATA_HOME": "/home/worker/data", "GNOME_KEYRING_CONTROL": "/run/user/7/keyring", "A_SECRET": "s",
        ]
        let script = """
            tr '\\000' '\\n' </proc/$$/environ | sort >"$1/environment"
            SAY up
            """
        try await withBrowser(script, environment: session, without: []) { live, _, broker, _ in
            var seen: [String: String] = [:]
            for line in try textOfFile(live.profile + "/browser/environment").split(separator: "\n") {
                let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                seen[parts[0]] = parts.count == 2 ? parts[1] : ""
            }
            #expect(seen["DISPLAY"] == ":7")
            #expect(seen["LC_TIME"] == "de_DE.UTF-8")
            #expect(seen["WAYLAND_DISPLAY"] == "/run/user/7/wayland-3")
            #expect(seen["HOME"] == live.profile + "/home")
            #expect(seen["TMPDIR"] == (try live.temporary))
            #expect(seen["XDG_RUNTIME_DIR"] == (try live.temporary))
            #expect(seen["DBUS_SESSION_BUS_ADDRESS"] == "disabled:")
            #expect(seen["MOZ_CRASHREPORTER_DISABLE"] == "1")
            #expect(seen["XDG_DATA_HOME"] == live.profile + "/home/.local/share")
            let forbidden = [
                "SSH_AUTH_SOCK", "CREDENTIALS_DIRECTORY", "WATCHDOG_PID", "LISTEN_FDNAMES",
                "GNOME_KEYRING_CONTROL", "A_SECRET", "NOTIFY_SOCKET",
            ]
            #expect(forbidden.filter { seen[$0] != nil } == [])
            try broker.send(.close(epoch: live.epoch))
            #expect(try await broker.next() == .closed(epoch: live.epoch))
        }
    }
}
