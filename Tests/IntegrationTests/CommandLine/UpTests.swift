// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrowserPolicies
import Foundation
import Glibc
import TestSupport
import Testing

/// `baton-dev up --json`, as a program reads it.
///
/// All tests but one use a folder in which an environment was made before.
@Suite(.serialized, .madeEnvironment, .timeLimit(.minutes(10))) struct UpTests {
    /// One line of the output of `baton-dev up`.
    private struct Event: Decodable {
        let event: String
        let time: Int64
        let elapsed: Int64
        let step: String?
        let result: String?
        let program: String?
        let status: String?
        let log: String?
        let pid: Int32?
        let environment: Environment?

        struct Environment: Decodable {
            let credentials: String
            let environment: String
            let addresses: [String: String]
            let isJoined: Bool
            let `try`: [Suggestion]

            struct Suggestion: Decodable {
                let text: String
            }

            var opensHome: Bool { `try`.contains { $0.text.hasPrefix("The home screen opens") } }
        }
    }

    /// A running `baton-dev up` whose environment is ready.
    private struct Up {
        let root: String
        let baton: RunningProgram
        let errorPath: String

        init(in scratch: Scratch) async throws {
            root = scratch.path("w")
            (baton, errorPath) = try await CommandRun.start(
                MadeEnvironmentTrait.arguments(root), of: "baton-dev", awaitsReady: true, in: scratch)
        }

        var events: [Event] {
            get throws {
                try baton.log().split(separator: "\n").map {
                    try JSONDecoder().decode(Event.self, from: Data($0.utf8))
                }
            }
        }

        var failure: CommandRun.Failure { get throws { try CommandRun.Failure(textOfFile(errorPath)) } }

        /// A process of the environment that `baton-dev` started.
        func program(_ name: String) throws -> ForeignProcess {
            for child in try children(of: baton.pid) {
                let words = try textOfFile("/proc/\(child)/cmdline").split(separator: "\0")
                if words.contains(where: { $0.hasSuffix("/" + name) }) { return try ForeignProcess(pid: child) }
            }
            throw TestProblem("\(name) does not run")
        }
    }

    /// What the MDM has installed on the device.
    private struct Managed: Decodable {
        let apps: [String: App]

        struct App: Decodable {
            /// A property list.
            let configuration: Data
        }
    }

    /// The findings of `baton doctor --json`.
    private struct Report: Decodable {
        let findings: [Finding]

        struct Finding: Decodable {
            let code: String
            let verdict: String
        }
    }

    /// Commands that print the state of the server and the device. One of the commands also adds a profile, because its
    /// request has an enum with associated values.
    private static let reading = [
        "device status", "device check-in", "receipt list",
        "admin profile add --shared-device https://login.baton.test --replace",
        "admin tenant list", "admin tenant keys", "admin user list", "admin group list", "admin role list",
        "admin client list", "admin session list", "admin device list", "admin device managed",
        "admin device commands ward-7-tablet", "admin enrollment list", "admin profile list", "admin app list",
        "admin offline show", "admin receipt trust", "admin audit list", "admin audit devices",
    ]

    @Test func `on a machine that cannot confine a window, nothing is started, and the command says why`()
        async throws
    {
        try await Scratch.with { scratch in
            let error = try await refusal(with: "/bin/false", inPlaceOf: "/usr/bin/bwrap", in: scratch)
            #expect(error.code == "browser_not_confined")
            #expect(error.message.contains("/usr/bin/bwrap") && !error.remedy.isEmpty)
        }
    }

    @Test func `with a browser that does not know a policy, nothing is started, and the command says which policy`()
        async throws
    {
        try await Scratch.with { scratch in
            let names = ChromiumPolicies.names.needed.subtracting(["RemoteDebuggingAllowed"])
            let browser = try scratch.writeProgram(names.joined(separator: "\0"), to: "browser")
            let error = try await refusal(with: browser, inPlaceOf: "/usr/lib/chromium/chromium", in: scratch)
            #expect(error.code == "browser_policy_unknown")
            #expect(error.message.contains("RemoteDebuggingAllowed") && !error.remedy.isEmpty)
        }
    }

    /// Runs `baton-dev up` on a screen, with `file` in place of the system's file `place`, and returns its error.
    private func refusal(
        with file: String, inPlaceOf place: String, in scratch: Scratch
    ) async throws -> CommandRun.Failure.Parts {
        let run = try await RunningProgram.start(
            "/usr/bin/unshare",
            ["--mount"] + (geteuid() == 0 ? [] : ["--map-root-user"]) + [
                "/bin/sh", "-c", #"mount --bind "$0" "$1" && shift && exec "$@""#, file, place,
                try RunningProgram.built("baton-dev"), "up", "--json", "--directory", scratch.path("w"),
            ],
            environment: ["DISPLAY": ":1"], log: "up.log", awaitsReady: false, in: scratch)
        #expect(try await run.waitForExit() == 1)
        #expect(!FileManager.default.fileExists(atPath: scratch.path("w")))
        return try CommandRun.Failure(try run.log()).error
    }

    @Test func `the environment ends when its server dies, and the output names the program`() async throws {
        let scratch = try MadeEnvironmentTrait.lent
        let up = try await Up(in: scratch)
        let programs = try ["baton-server", "batond", "baton-agent"].map(up.program)
        programs[0].kill()
        #expect(try await up.baton.waitForExit() == 1)
        for program in programs { try await program.waitForEnd() }
        let death = try #require(try up.events.last)
        #expect(death.event == "died" && death.program == "baton-server" && death.status == "signal 9")
        #expect(death.log == up.root + "/logs/baton-server.log")
        #expect(try up.failure.error.code == "program_died")
    }

    @Test(arguments: ["batond", "baton-agent"])
    func `a program of the device that dies is started again, and the environment goes on`(name: String) async throws {
        let scratch = try MadeEnvironmentTrait.lent
        let up = try await Up(in: scratch)
        let log = up.baton.logPath
        var former = try up.program(name)
        for count in 1...5 {
            former.kill()
            try await former.waitForEnd()
            try await FolderWatch(scratch.path).until("restart \(count)") {
                try textOfFile(log).split(separator: "\n").filter { $0.contains(#""event":"restarted""#) }.count
                    == count
            }
            former = try ForeignProcess(pid: try #require(try up.events.last?.pid))
        }
        let restart = try #require(try up.events.last)
        #expect(
            restart.program == name && restart.status == "signal 9" && restart.log?.hasSuffix("/\(name).log") == true)
        // A program that keeps dying is not restarted any more.
        former.kill()
        #expect(try await up.baton.waitForExit() == 1)
        #expect(try up.events.last?.event == "died")
        #expect(try up.failure.error.code == "program_died")
    }

    @Test func `a program that cannot start again is given up with the status of its last start`() async throws {
        let scratch = try MadeEnvironmentTrait.lent
        let up = try await Up(in: scratch)
        let file = URL(filePath: up.root + "/configuration/batond.json")
        let configuration = try Data(contentsOf: file)
        try Data("{".utf8).write(to: file)
        try up.program("batond").kill()
        #expect(try await up.baton.waitForExit() == 1)
        let end = try #require(try up.events.last)
        #expect(end.event == "died" && end.program == "batond" && end.status?.hasPrefix("exit code") == true, "\(end)")
        try configuration.write(to: file)
    }

    @Test func `a program that acts as the person is there, is told who signs in, and says what is wrong`() async throws
    {
        try await Scratch.with { scratch in
            let up = try await CommandRun(
                ["up", "--json", "--directory", scratch.path("w"), "--person", scratch.path("none")],
                of: "baton-dev", in: scratch)
            #expect(up.code == 1 && !FileManager.default.fileExists(atPath: scratch.path("w")), "\(up)")
            #expect(try CommandRun.Failure(up.errors).error.code == "person_missing")
            // Neither a binary nor a shell script can be run by Python.
            for (text, name) in [("\u{7f}ELF\0", "binary"), ("#!/bin/sh\necho 'no person'\n", "script")] {
                try scratch.write(text, to: name)
                let other = try await CommandRun(
                    ["up", "--json", "--directory", scratch.path("w"), "--person", scratch.path(name)],
                    of: "baton-dev", in: scratch)
                #expect(other.code == 1 && !FileManager.default.fileExists(atPath: scratch.path("w")), "\(other)")
                #expect(try CommandRun.Failure(other.errors).error.code == "person_unsuitable")
            }
            let files = [
                (nil, "cannot be read"), ("{", "not JSON"), ("[]", "not a JSON object"), ("{}", "lacks username"),
            ]
            for (text, part) in files {
                if let text { try scratch.write(text, to: "person.json") }
                let person = try await RunningProgram.start(
                    Repository.root + "/Tests/Person/person.py",
                    [
                        "--person", scratch.path("person.json"), "--profile", scratch.path, "--log",
                        scratch.path("log"), "http://127.0.0.1:1/",
                    ], log: "person", awaitsReady: false, in: scratch)
                #expect(try await person.waitForExit() == 1)
                #expect(try textOfFile(scratch.path("log")).contains(part))
            }
        }
    }

    @Test func `no program outlives a killed baton`() async throws {
        let scratch = try MadeEnvironmentTrait.lent
        let up = try await Up(in: scratch)
        let programs = try ["baton-server", "batond", "baton-agent"].map(up.program)
        up.baton.kill()
        #expect(try await up.baton.waitForExit() == -SIGKILL)
        for program in programs { try await program.waitForEnd() }
        let again = try await Up(in: scratch)
        #expect(try await again.baton.stop() == 0)
    }

    @Test func `a whole run: steps, ready, ending, ended, and a second start continues without repeating steps`()
        async throws
    {
        try await Scratch.with { scratch in
            let up = try await Up(in: scratch)
            let first = try up.events
            #expect(first.map(\.event) == Array(repeating: "step", count: 6) + ["ready"])
            #expect(first.compactMap(\.step) == ["server", "organisation", "device", "enrollment", "push", "agent"])
            #expect(first.allSatisfy { $0.time > 1_700_000_000_000 && $0.elapsed >= 0 })
            let environment = try #require(first.last?.environment)
            #expect(!environment.isJoined)
            // The agent can take away the notes of each sample app, whatever happened to the app's process.
            let managed = try JSONDecoder().decode(
                Managed.self, from: Data(textOfFile(up.root + "/device/management/state.json").utf8))
            let configurations = managed.apps.values.map { String(decoding: $0.configuration, as: UTF8.self) }
            for number in 1...4 {
                let folder = "/w/apps/\(number)/data</string>"
                #expect(configurations.count { $0.contains("dataFolders") && $0.contains(folder) } == 1, "\(number)")
            }
            #expect(
                Set(environment.addresses.keys) == ["login", "deviceRegistration", "graph", "mdm", "administration"])
            for secret in [environment.credentials, environment.environment] {
                let mode = try FileManager.default.attributesOfItem(atPath: secret)[.posixPermissions] as? Int
                #expect(mode == 0o600)
            }
            // With the sourced environment, commands use this device's files, not the machine's own.
            for (arguments, answer) in [(["receipt", "list"], "none\n"), (["receipt", "export"], "")] {
                let run = try await CommandRun(arguments, sourcing: environment.environment, in: scratch)
                #expect(run.code == 0 && run.output == answer, "baton \(arguments) says \(run)")
            }
            let status = try await CommandRun(["device", "status"], sourcing: environment.environment, in: scratch)
            #expect(status.code == 0 && status.output.hasPrefix("mode "), "\(status)")
            for command in Self.reading {
                let run = try await CommandRun(
                    command.split(separator: " ").map(String.init) + ["--json"], sourcing: environment.environment,
                    in: scratch)
                #expect(run.code == 0 && run.errors.isEmpty, "baton \(command) says \(run)")
                #expect(!run.output.contains(/"_\d+"\s*:/), "baton \(command) says \(run.output)")
            }
            let second = try await CommandRun(
                MadeEnvironmentTrait.arguments(up.root), of: "baton-dev", in: scratch)
            #expect(second.code == 1 && second.output.isEmpty)
            #expect(try CommandRun.Failure(second.errors).error.code == "environment_in_use")
            #expect(try await up.baton.stop() == 0)
            #expect(try up.events.suffix(2).map(\.event) == ["ending", "ended"])
            let doctor = try await CommandRun(["doctor", "--json"], sourcing: environment.environment, in: scratch)
            #expect(doctor.code == 69)
            let verdicts = try JSONDecoder().decode(Report.self, from: Data(doctor.output.utf8)).findings
            for (code, verdict) in [("journal_ready", "note"), ("marker_there", "good"), ("files_private", "good")] {
                #expect(verdicts.filter { $0.code == code }.map(\.verdict) == [verdict], "\(code): \(verdicts)")
            }

            let again = try await Up(in: scratch)
            #expect(try again.events.compactMap(\.step) == ["server", "organisation", "device", "agent"])
            #expect(try again.events.allSatisfy { $0.result != "failed" })
            #expect(try await again.baton.stop() == 0)
        }
    }

    @Test("on a screen baton-dev up opens the home screen of a joined device, and ends with that window")
    func homeScreen() async throws {
        try await Scratch.with { scratch in
            let (_, display) = try await VirtualScreen.start(in: scratch)
            let arguments = [
                "up", "--json", "--directory", scratch.path("w"), "--sample", "/usr/bin/true", "--ward-round",
                "/usr/bin/true", "--administrator", Repository.root + "/Tests/Person/person.py",
            ]
            let up = try await CommandRun.start(
                arguments, of: "baton-dev", on: display, awaitsReady: true, in: scratch)
            let lines = try up.program.log().split(separator: "\n")
            let events = try lines.map { try JSONDecoder().decode(Event.self, from: Data($0.utf8)) }
            #expect(events.last?.environment?.isJoined == true)
            #expect(events.last?.environment?.opensHome == true)
            #expect(events.compactMap(\.step).suffix(2) == ["join", "agent"])
            // The file from which the person's program read the administrator's password has been removed.
            #expect(!FileManager.default.fileExists(atPath: scratch.path("w/configuration/person.json")))
            let close = try await RunningProgram.start(
                "/usr/bin/python3", [Repository.root + "/Tests/Person/close_window.py", "^Home screen$"],
                environment: ["DISPLAY": display], log: "close.log", awaitsReady: false, in: scratch)
            let isClosed = try await close.waitForExit() == 0
            // Without this the test would wait for a window that nobody closes.
            if !isClosed { up.program.kill() }
            let said = try close.log()
            #expect(isClosed, "\(said)")
            #expect(try await up.program.waitForExit() == 0)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: scratch.path("w/run")).allSatisfy {
                    !$0.hasPrefix("baton-home")
                })
        }
    }

    @Test func `with a program as the person, the device is joined, too`() async throws {
        try await Scratch.with { scratch in
            let person = Repository.root + "/Tests/Person/person.py"
            let arguments = [
                "up", "--json", "--directory", scratch.path("w"), "--sample", "/usr/bin/true", "--ward-round",
                "/usr/bin/true", "--person", person, "--administrator", person,
            ]
            let up = try await CommandRun.start(arguments, of: "baton-dev", awaitsReady: true, in: scratch)
            let lines = try up.program.log().split(separator: "\n")
            let events = try lines.map { try JSONDecoder().decode(Event.self, from: Data($0.utf8)) }
            #expect(events.last?.environment?.isJoined == true)
            #expect(events.last?.environment?.opensHome == false)
            #expect(lines.last?.contains("> \(scratch.path("w"))/configuration/person.json") == true)
            #expect(try await up.program.stop() == 0)
        }
    }

    @Test func `outside of the repository, the remedy for a missing sample app names the repository`() async throws {
        try await Scratch.with { scratch in
            let run = try await CommandRun(
                ["up", "--json"], of: "baton-dev", through: ["/usr/bin/env", "-C", scratch.path], in: scratch)
            #expect(run.code == 1 && run.output.isEmpty)
            let error = try CommandRun.Failure(run.errors).error
            #expect(error.code == "sample_missing" && error.message.contains(scratch.path))
            #expect(error.remedy.contains("make sample in a clone of Baton's repository"))
            #expect(error.remedy.contains("--sample"))
        }
    }

    @Test func `on a second request, it kills what does not end`() async throws {
        let scratch = try MadeEnvironmentTrait.lent
        let up = try await Up(in: scratch)
        let agent = try up.program("baton-agent")
        agent.send(SIGSTOP)
        up.baton.send(SIGTERM)
        let log = up.baton.logPath
        try await FolderWatch(scratch.path).until("told that it ends") {
            try textOfFile(log).contains(#""event":"ending""#)
        }
        up.baton.send(SIGTERM)
        #expect(try await up.baton.waitForExit() == 0)
        try await agent.waitForEnd()
        #expect(try up.events.last?.event == "ended")
    }

    @Test func `a folder that is not an environment is left unchanged`() async throws {
        try await Scratch.with { scratch in
            try scratch.write("mine", to: "diary.txt")
            let refused = try await CommandRun(
                MadeEnvironmentTrait.arguments(scratch.path), of: "baton-dev", in: scratch)
            #expect(refused.code == 1 && refused.output.isEmpty)
            #expect(try CommandRun.Failure(refused.errors).error.code == "folder_not_empty")
            #expect(try textOfFile(scratch.path("diary.txt")) == "mine")
            let long = scratch.path(String(repeating: "a", count: 90))
            let tooLong = try await CommandRun(
                MadeEnvironmentTrait.arguments(long), of: "baton-dev", in: scratch)
            #expect(try CommandRun.Failure(tooLong.errors).error.code == "path_too_long")
            let nowhere = try await CommandRun(
                MadeEnvironmentTrait.arguments("/proc/w"), of: "baton-dev", in: scratch)
            #expect(try CommandRun.Failure(nowhere.errors).error.code == "folder_not_made")
            try FileManager.default.createDirectory(
                atPath: scratch.path("w/environment.json"), withIntermediateDirectories: true)
            let unreadable = try await CommandRun(
                MadeEnvironmentTrait.arguments(scratch.path("w")), of: "baton-dev", in: scratch)
            #expect(try CommandRun.Failure(unreadable.errors).error.code == "environment_unreadable")
        }
    }
}
