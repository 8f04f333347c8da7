// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import Foundation
import Glibc
import Processes
import TestSupport
import Testing

extension LiveFaults {
    /// Workers sign in and out at random, while the processes of an app start, keep notes, are closed, killed or stopped,
    /// and while the session process and the broker die. The app is the sample for the terminal.
    @Suite struct HandoverWalkTests {
        private static var seeds: Range<Int> { Soak.isRunning ? Walks.seed..<Walks.seed + Walks.count : 1..<4 }

        @Test func `no walk leads to a former worker's note on the disk or in the app`() async throws {
            let live = try await LiveEnvironment.ready()
            let id = try #require(live.facts.apps.first { $0.number == HandoverWalk.number }).bundleID
            let folder = live.path(HandoverWalk.data)
            try await live.with(registry: #"{"apps":[{"id":"\#(id)","dataFolders":["\#(folder)"]}]}"#) {
                var notes = 0
                for seed in Self.seeds {
                    var walk = HandoverWalk(live, seed: seed)
                    do { try await walk.run() } catch { walk.note(error) }
                    #expect(walk.found == [], "BATON_WALK_SEED=\(seed) BATON_WALKS=1: \(walk.taken.map(\.rawValue))")
                    try await walk.tidyUp()
                    notes += walk.kept
                }
                #expect(notes > 0)
            }
        }

        @Test func `a walk finds the note of an app that was killed, if nobody takes its folder away`() async throws {
            let live = try await LiveEnvironment.ready()
            var walk = HandoverWalk(live, seed: 1)
            try await walk.take([.signIn, .open, .note, .finish, .kill, .signOut])
            #expect(walk.kept == 1)
            #expect(walk.found.contains { $0.contains("note-of-Amara-1") })
            try await walk.tidyUp()
        }

        /// The folder's path contains a symbolic link, so the agent takes no data away; it only ends the process that
        /// has no eraser.
        @Test func `an app that a process without an eraser has locked erases by itself once that one has ended`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            let app = try #require(live.facts.apps.first { $0.number == HandoverWalk.number })
            let link = live.path("apps/link")
            try FileManager.default.createSymbolicLink(
                atPath: link, withDestinationPath: live.path(HandoverWalk.data))
            try await live.with(registry: #"{"apps":[{"id":"\#(app.bundleID)","dataFolders":["\#(link)"]}]}"#) {
                try await live.awaitAgent()
                try await live.signIn("Amara", through: live.app(1))
                let terminal = try await SampleTerminal(ofApp: app.number, live)
                try terminal.tell("note note-of-Amara-1")
                let printed = try await terminal.finished()
                #expect(printed.contains { $0["answer"] == "note" && $0["error"] == nil }, "\(printed)")
                let script = """
                    import os, signal, socket, sys
                    sys.path.insert(0, sys.argv[1])
                    from broker import Connection
                    app = {"clientId": sys.argv[3], "redirectUri": sys.argv[4], "authority": sys.argv[5]}
                    Connection(sys.argv[2]).ask("get_default_account", app)
                    socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"READY=1", os.environ["NOTIFY_SOCKET"])
                    signal.pause()
                    """
                let reader = try await RunningProgram.start(
                    "/usr/bin/python3",
                    [
                        "-c", script, Repository.root + "/Benchmarks/harness", live.path("run/broker.sock"),
                        app.clientID, app.redirectURI, live.facts.authority,
                    ], log: "reader.log", in: live.scratch)
                try await live.settle()
                #expect(try await reader.waitForExit() == -SIGKILL)
                try await live.untilLogged("unlocked") { try await live.status().lockedApps == [] }
                #expect(try live.names(in: HandoverWalk.data + "/notes") == [])
                terminal.send(SIGKILL)
                _ = try await terminal.program.waitForExit()
            }
        }

        /// In `make soak` the file's blocks are allocated; elsewhere the file has this length but no blocks.
        @Test func `a folder of 10 GB is away before the next worker, and is then removed`() async throws {
            let live = try await LiveEnvironment.ready()
            let app = try #require(live.facts.apps.first { $0.number == HandoverWalk.number })
            let folder = live.path(HandoverWalk.data)
            try await live.with(registry: #"{"apps":[{"id":"\#(app.bundleID)","dataFolders":["\#(folder)"]}]}"#) {
                try await live.awaitAgent()
                var durations: [Duration] = []
                for isLarge in [false, true] {
                    try await live.signIn("Amara", through: live.app(1))
                    let terminal = try await SampleTerminal(ofApp: app.number, live)
                    try terminal.tell("note note-of-Amara-1")
                    _ = try await terminal.finished()
                    terminal.send(SIGKILL)
                    _ = try await terminal.program.waitForExit()
                    if isLarge { try Self.grow(folder + "/notes/large", to: 10 << 30) }
                    let trash = try FolderWatch(live.path("trash"))
                    durations.append(try await ContinuousClock().measure { try await live.settle() })
                    #expect(FileManager.default.subpaths(atPath: folder) == [])
                    let item = try await live.shownReceipt().items.first { $0.name == "app:" + app.bundleID }
                    #expect(item?.result == "done")
                    let emptied = try await ContinuousClock().measure {
                        try await trash.until("an empty trash") { try live.names(in: "trash") == [] }
                    }
                    print("hand-over \(isLarge ? "with 10 GiB" : "without"): \(durations), removed \(emptied) later")
                }
                #expect(try await live.status().lockedApps == [])
            }
        }

        private static func grow(_ path: String, to length: Int) throws {
            let file = unsafe open(path, O_WRONLY | O_CREAT, 0o600)
            defer { _ = close(file) }
            guard (Soak.isRunning ? posix_fallocate(file, 0, length) : ftruncate(file, length)) == 0 else {
                throw TestProblem("\(path) cannot have \(length) bytes")
            }
        }

        @Test func `fifty processes with Handover have all erased when the device is ready, and delay it little`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            let app = try #require(live.facts.apps.first { $0.number == HandoverWalk.number })
            try await live.signIn("Amara", through: live.app(1))
            let alone = try await ContinuousClock().measure { try await live.settle() }
            try await live.signIn("Amara", through: live.app(1))
            var terminals: [SampleTerminal] = []
            for number in 0..<50 {
                let terminal = try await SampleTerminal(ofApp: app.number, live)
                try terminal.tell("note note-of-Amara-\(number)")
                terminals.append(terminal)
            }
            for terminal in terminals {
                let printed = try await terminal.finished()
                try #require(printed.contains { $0["answer"] == "note" && $0["error"] == nil }, "\(printed)")
            }
            let crowded = try await ContinuousClock().measure { try await live.settle() }
            let item = try await live.shownReceipt().items.first { $0.name == "app:" + app.bundleID }
            #expect(item?.result == "done")
            // The broker waits three seconds for a process that does not erase.
            // In continuous integration, other tests share the processors.
            #expect(!Soak.isRunning || crowded < .seconds(3), "\(crowded), without apps \(alone)")
            print("hand-over with fifty processes that erase: \(crowded); without: \(alone)")
            for terminal in terminals {
                try terminal.tell("show")
                #expect(try await terminal.finished().allSatisfy { $0["note"] == nil })
                terminal.send(SIGKILL)
            }
        }
    }
}

/// One walk. Each note names its worker, so that the walk recognises the notes of former workers.
private struct HandoverWalk {
    enum Step: String, CaseIterable {
        case signIn, otherSignIn, signOut, open, close, note, show, finish, kill, stop, resume, killSession, killBroker
    }

    /// The app's number in the environment.
    static let number = 2
    static let data = "apps/\(number)/data"
    private static let people = ["Amara", "Bo"]
    private static let length = 16
    /// The maximum number of processes at a time.
    private static let maximum = 3

    /// What was seen of a former worker, or how the app got locked.
    private(set) var found: [String] = []
    /// How many notes the app has kept.
    private(set) var kept = 0
    private(set) var taken: [Step] = []
    private let live: LiveEnvironment
    private var random: SplitMix
    private var worker: String?
    private var terminals: [SampleTerminal] = []
    private var notes = 0

    init(_ live: LiveEnvironment, seed: Int) {
        self.live = live
        random = SplitMix(seed: UInt64(truncatingIfNeeded: seed))
    }

    mutating func run() async throws {
        try await take((0..<Self.length).map { _ in Step.allCases.randomElement(using: &random) ?? .show })
        // Whatever has happened, every process answers, and the next worker finds nothing.
        try await take([.signOut, .otherSignIn, .open, .show, .finish, .signOut])
    }

    mutating func note(_ error: any Error) { found.append("\(error)") }

    mutating func take(_ steps: [Step]) async throws {
        for step in steps where found.isEmpty {
            taken.append(step)
            try await take(step)
            try await look()
        }
    }

    /// Ends the session and the processes, and removes what a planted fault has left.
    mutating func tidyUp() async throws {
        try await live.settle()
        for terminal in terminals { terminal.send(SIGKILL) }
        for terminal in terminals { try await terminal.program.waitForExit() }
        for file in files() { try? FileManager.default.removeItem(atPath: file) }
        for app in try await live.status().lockedApps { _ = try await live.ask(.unlock(app: app)) }
    }

    private mutating func take(_ step: Step) async throws {
        switch step {
        case .signIn, .otherSignIn:
            let person = Self.people[step == .signIn ? 0 : 1]
            guard worker != person else { return }
            if worker != nil { try await signOut() }
            try await live.signIn(person, through: live.app(1))
            worker = person
        case .signOut: try await signOut()
        case .open: try await open()
        case .note:
            notes += 1
            try chosen()?.tell("note \(mark(worker ?? "nobody"))\(notes)")
        case .show: try chosen()?.tell("show")
        case .close: try chosen()?.tell("quit")
        case .finish: try await finish()
        case .kill: try chosen()?.send(SIGKILL)
        case .stop: try chosen()?.send(SIGSTOP)
        case .resume: try chosen { $0.isStopped }?.send(SIGCONT)
        case .killSession:
            // The session then continues in another process. If the last step also killed the session process, its
            // successor may not have been started yet.
            for number in try live.sessionProcesses().prefix(1) {
                let process = try ForeignProcess(pid: number)
                process.kill()
                try await process.waitForEnd()
            }
        case .killBroker:
            try await live.kill(.broker)
            try await live.start(.broker)
            try await live.comesBack()
            ended()
        }
    }

    /// Signs out, while something happens to a process.
    private mutating func signOut() async throws {
        let live = live
        async let isReady: Void = live.settle()
        switch [Step.open, .kill, .stop, .resume, .show, .note].randomElement(using: &random) {
        case .open: try await open()
        case .kill: try chosen()?.send(SIGKILL)
        case .stop: try chosen()?.send(SIGSTOP)
        case .resume: try chosen { $0.isStopped }?.send(SIGCONT)
        case .note: try chosen()?.tell("note \(mark(worker ?? "nobody"))late")
        default: try chosen()?.tell("show")
        }
        try await isReady
        ended()
    }

    /// Records that the session has ended. What was printed until now was meant for the worker who has left.
    private mutating func ended() {
        worker = nil
        for terminal in terminals { note(terminal.printed()) }
    }

    private mutating func open() async throws {
        guard terminals.count < Self.maximum else { return }
        terminals.append(try await SampleTerminal(ofApp: Self.number, live))
    }

    /// Waits until every process that runs has answered every command.
    private mutating func finish() async throws {
        for terminal in terminals where try !terminal.isStopped && !terminal.hasEnded {
            note(try await terminal.finished(), of: worker)
        }
    }

    /// A random process that has not ended and for which `isFitting` returns true; nil if there is none.
    private mutating func chosen(_ isFitting: (SampleTerminal) -> Bool = { _ in true }) throws -> SampleTerminal? {
        terminals = try terminals.filter { try !$0.hasEnded }
        return terminals.filter(isFitting).randomElement(using: &random)
    }

    private func mark(_ person: String) -> String { "note-of-\(person)-" }

    /// Records every locked app, and every note that belongs to anybody but the signed-in worker.
    private mutating func look() async throws {
        let former = Self.people.filter { $0 != worker }.map(mark)
        for file in files() {
            let text = String(decoding: FileManager.default.contents(atPath: file) ?? Data(), as: UTF8.self)
            found += former.filter(text.contains).map { "\(text) in \(file), not of \($0)" }
        }
        for terminal in terminals { note(terminal.printed(), of: worker) }
        found += try await live.status().lockedApps.map { "\($0) is locked" }
    }

    /// Counts the notes that the app has kept.
    private mutating func note(_ printed: [[String: String]]) {
        kept += printed.count { $0["answer"] == "note" && $0["error"] == nil }
    }

    /// Counts the notes that the app has kept, and records shown notes of anybody but this worker.
    private mutating func note(_ printed: [[String: String]], of worker: String?) {
        note(printed)
        let former = Self.people.filter { $0 != worker }.map(mark)
        for line in printed where former.contains(where: { (line["note"] ?? "").contains($0) }) {
            found.append("\(line) is shown to \(worker ?? "nobody")")
        }
    }

    private func files() -> [String] {
        let folder = live.path(Self.data)
        return FileManager.default.enumerator(atPath: folder)?.compactMap { ($0 as? String).map { folder + "/" + $0 } }
            ?? []
    }
}
