// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

/// A command that asks for a password at a terminal, and one that gets it through a pipe.
@Suite(.timeLimit(.minutes(10))) struct PasswordInputTests {
    /// What the terminal has shown and how the command has ended.
    private struct Seen: Decodable {
        /// Whether typed characters were hidden while the command asked.
        let wasHidden: Bool
        let screen: String
        /// The exit code, or the negative number of the signal that ended the command.
        let code: Int32
        /// Whether typed characters are shown after the end.
        let echoes: Bool
        /// Whether typed characters were shown while the command was stopped; nil if it never was.
        let echoedWhileStopped: Bool?
    }

    /// The program that is a terminal and its shell: it waits for the question, types or sends something, and reports.
    private static let terminal = """
        import fcntl, json, os, signal, sys, termios
        if os.fork(): sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))
        signal.alarm(300)
        os.setsid()
        master, terminal = os.openpty()
        fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
        program = os.fork()
        if program == 0:
            os.setpgid(0, 0)
            signal.signal(signal.SIGTTOU, signal.SIG_IGN)
            os.tcsetpgrp(terminal, os.getpid())
            signal.signal(signal.SIGTTOU, signal.SIG_DFL)
            for number in range(3): os.dup2(terminal, number)
            os.execv(sys.argv[2], sys.argv[2:])
        screen = b""
        def await_question():
            global screen
            seen = len(screen)
            while b"Password: " not in screen[seen:]: screen += os.read(master, 1024)
        def echoes(): return bool(termios.tcgetattr(terminal)[3] & termios.ECHO)
        await_question()
        found = {"wasHidden": not echoes()}
        act, _, value = sys.argv[1].partition(" ")
        if act == "signal": os.kill(program, int(value))
        if act == "type": os.write(master, value.encode("latin-1", "backslashreplace").decode("unicode_escape").encode())
        if act == "stop":
            os.write(master, b"half a passw\\x1a")
            os.waitpid(program, os.WUNTRACED)
            found["echoedWhileStopped"] = echoes()
            os.kill(program, signal.SIGCONT)
            await_question()
            found["wasHidden"] &= not echoes()
            os.write(master, value.encode() + b"\\n")
        code = os.waitstatus_to_exitcode(os.waitpid(program, 0)[1])
        found["echoes"] = echoes()
        os.set_blocking(master, False)
        try:
            while True: screen += os.read(master, 1024)
        except BlockingIOError: pass
        print(json.dumps(found | {"code": code, "screen": screen.decode()}))
        """

    /// Runs `baton admin user password` at a terminal.
    ///
    /// - Parameter act: what happens when the command asks.
    /// - Returns: what was seen, and the requests that the server got.
    private func run(_ act: String) async throws -> (seen: Seen, requests: [FakeServer.Request]) {
        try await Scratch.with { scratch in
            let requests = Mutex<[FakeServer.Request]>([])
            let server = try await FakeServer(nil, socket: scratch.path("admin.sock")) { request in
                requests.withLock { $0.append(request) }
                return .reply(204, [], "")
            }
            let program = try await RunningProgram.start(
                "/usr/bin/python3",
                [
                    "-c", Self.terminal, act, try RunningProgram.built("baton"), "admin", "user", "password",
                    "amara@a.test", "--server", scratch.path,
                ], log: "terminal", awaitsReady: false, in: scratch)
            let code = try await program.waitForExit()
            let log = try program.log()
            try #require(code == 0, "\(log)")
            withExtendedLifetime(server) {}
            return (try JSONDecoder().decode(Seen.self, from: Data(log.utf8)), requests.withLock(\.self))
        }
    }

    private static let endings: [(act: String, signal: Int32)] = [
        (#"type \x03"#, SIGINT), (#"type half a passw\x03"#, SIGINT), (#"type \x1c"#, SIGQUIT),
        ("signal \(SIGINT)", SIGINT), ("signal \(SIGTERM)", SIGTERM), ("signal \(SIGHUP)", SIGHUP),
    ]

    @Test(arguments: endings.indices)
    func `a key or a signal that ends the question for a password changes nothing, and shows what is typed again`(
        index: Int
    ) async throws {
        let (seen, requests) = try await run(Self.endings[index].act)
        #expect(seen.wasHidden && seen.echoes, "\(seen)")
        #expect(seen.code == 128 + Self.endings[index].signal && seen.screen.contains("[input_interrupted]"), "\(seen)")
        #expect(!seen.screen.contains("passw\u{3}") && requests.isEmpty, "\(seen) \(requests)")
    }

    @Test func `a command that is stopped while it asks for a password shows what is typed, and asks again`()
        async throws
    {
        let (seen, requests) = try await run("stop long enough")
        #expect(seen.wasHidden && seen.echoes && seen.echoedWhileStopped == true, "\(seen)")
        #expect(seen.code == 0 && !seen.screen.contains("long enough"), "\(seen)")
        #expect(requests.map(\.body) == [#"{"password":"long enough"}"#])
    }

    @Test func `a typed password is sent as it is`() async throws {
        let (seen, requests) = try await run(#"type pässwörd \u4f60\n"#)
        #expect(seen.code == 0 && seen.echoes && !seen.screen.contains("wörd"), "\(seen)")
        #expect(requests.map(\.body) == [#"{"password":"pässwörd 你"}"#])
    }

    // MARK: Bytes that are not UTF-8

    /// Runs `baton` through a shell that adds bytes to the arguments or to standard input.
    private func run(_ words: [String], through script: String) async throws -> CommandRun {
        try await Scratch.with { scratch in
            try await CommandRun(words, through: ["/bin/sh", "-c", script, "sh"], in: scratch)
        }
    }

    @Test(arguments: [
        ["admin", "user", "password", "amara@a.test"], ["admin", "user", "add", "amara@a.test", "--name", "A"],
        ["browser", "-"],
    ])
    func `standard input that is not UTF-8 is refused before anything else`(words: [String]) async throws {
        let server = words[0] == "admin" ? ["--server", "/nonexistent"] : []
        let run = try await run(words + server + ["--json"], through: #"printf 'long enough\377\n' | "$@""#)
        let refusal = try CommandRun.Failure(run.errors).error
        #expect(run.code == 1 && refusal.code == "input_not_utf8" && refusal.remedy.contains("UTF-8"), "\(run)")
        #expect(!run.errors.contains("long"), "\(run)")
    }

    @Test(arguments: [
        ["admin", "group", "add"], ["admin", "user", "add", "u", "--name"], ["account", "sign-in", "--hint"],
        ["device", "enroll"], ["--help"], ["nonsense"],
    ])
    func `an argument that is not UTF-8 is refused before anything else`(words: [String]) async throws {
        let plain = try await run(words, through: #"exec "$@" "$(printf 'Ward \377')""#)
        #expect(plain.code == 64 && plain.output.isEmpty, "\(plain)")
        #expect(plain.errors.contains("[argument_not_utf8]") && plain.errors.contains("UTF-8"), "\(plain)")
        let json = try await run(words, through: #"exec "$@" --json "$(printf 'Ward \377')""#)
        #expect(json.code == 64, "\(json)")
        #expect(try CommandRun.Failure(json.errors).error.message.contains("\(words.count + 2)"), "\(json)")
    }

    @Test func `a password of a pipe ends with the line`() async throws {
        try await Scratch.with { scratch in
            let bodies = Mutex<[String]>([])
            let server = try await FakeServer(nil, socket: scratch.path("admin.sock")) { request in
                bodies.withLock { $0.append(request.body) }
                return .reply(204, [], "")
            }
            for text in [#"long enough\n"#, #"long enough\r\nmore\n"#, "long enough"] {
                let run = try await CommandRun(
                    ["admin", "user", "password", "u", "--server", scratch.path],
                    through: ["/bin/sh", "-c", #"printf '\#(text)' | "$@""#, "sh"], in: scratch)
                #expect(run.code == 0, "\(run)")
            }
            #expect(bodies.withLock(\.self) == Array(repeating: #"{"password":"long enough"}"#, count: 3))
            withExtendedLifetime(server) {}
        }
    }
}
