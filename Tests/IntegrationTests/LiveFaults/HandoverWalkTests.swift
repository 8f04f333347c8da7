// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import Foundation
import Glibc
import MSAL
import Processes
import TestSupport
import Testing

extension LiveFaults {
    /// Workers sign in and out at random, while the processes of an app start, keep notes, are closed, killed or stopped,
    /// and while the broker dies. The app is the sample for the terminal; its registration names the folder of its data.
    @Suite struct HandoverWalkTests {
        private static var seeds: Range<Int> { Soak.isRunning ? Walks.seed..<Walks.seed + Walks.count : 1..<4 }

        @Test func `no walk leads to a former worker's note on the disk or in the app`() async throws {
            let live = try await LiveEnvironment.ready()
            let id = try #require(live.facts.apps.first { $0.number == HandoverWalk.number }).bundleID
            let folder = live.path(HandoverWalk.data)
            try await live.with(registry: #"{"apps":[{"id":"\#(id)","dataFolders":["\#(folder)"]}]}"#) {
                for seed in Self.seeds {
                    var walk = HandoverWalk(live, seed: seed)
                    let taken = try await walk.run()
                    #expect(walk.found == [], "BATON_WALK_SEED=\(seed) BATON_WALKS=1: \(taken)")
                }
            }
        }
    }
}

/// One walk. Each note names its worker, so that the walk recognises the notes of former workers.
private struct HandoverWalk {
    private enum Step: CaseIterable {
        case signIn, otherSignIn, signOut, open, close, note, show, kill, stop, resume, killSession, killBroker
    }

    /// A process of the app.
    fileprivate struct Process {
        let program: RunningProgram
        /// Its standard input.
        let input: FileHandle
        var isStopped = false
        /// How much of its output had been read when the last session ended.
        var read = 0

        var hasEnded: Bool {
            get throws { try ProcessTable.entry(program.pid)?.isZombie ?? true }
        }
    }

    /// The app's number in the environment.
    static let number = 2
    static let data = "apps/\(number)/data"
    private static let people = ["Amara", "Bo"]
    private static let length = 12
    /// The maximum number of processes at a time.
    private static let maximum = 3

    /// What was seen of a former worker, or how the app got locked.
    private(set) var found: [String] = []
    private let live: LiveEnvironment
    private var random: SplitMix
    private var worker: String?
    private var processes: [Process] = []
    private var notes = 0
    private var made = 0

    init(_ live: LiveEnvironment, seed: Int) {
        self.live = live
        random = SplitMix(seed: UInt64(truncatingIfNeeded: seed))
    }

    /// - Returns: the steps.
    mutating func run() async throws -> String {
        var steps: [String] = []
        for _ in 0..<Self.length where found.isEmpty {
            let step = Step.allCases.randomElement(using: &random) ?? .show
            steps.append("\(step)")
            try await take(step)
            try await look()
        }
        try await signOut()
        try await look()
        for process in processes {
            process.program.kill()
            try await process.program.waitForExit()
        }
        return steps.joined(separator: ", ")
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
            try tell("note \(mark(worker ?? "nobody"))\(notes)")
        case .show: try tell("show")
        case .close: try tell("quit")
        case .kill, .stop, .resume: try send(step)
        case .killSession:
            // The session goes on in another process, which may not have been started since the last such step.
            for number in try live.sessionProcesses().prefix(1) {
                let process = try ForeignProcess(pid: number)
                process.kill()
                try await process.waitForEnd()
            }
        case .killBroker:
            try await live.kill(.broker)
            try await live.start(.broker)
            try await live.comesBack()
            try end()
        }
    }

    /// Signs out, while something happens to a process.
    private mutating func signOut() async throws {
        let meanwhile = [Step.open, .kill, .stop, .resume, .show].randomElement(using: &random)
        let live = live
        async let isReady: Void = live.settle()
        switch meanwhile {
        case .open: try await open()
        case .kill, .stop, .resume: try send(meanwhile ?? .kill)
        default: break
        }
        try await isReady
        try end()
    }

    /// The session has ended. From now on, nobody may see what was the worker's.
    private mutating func end() throws {
        worker = nil
        for number in processes.indices {
            processes[number].read = try processes[number].program.log().utf8.count
        }
    }

    private mutating func open() async throws {
        guard processes.count < Self.maximum else { return }
        made += 1
        let name = "walk-\(UInt32.random(in: 0...UInt32.max))"
        let fifo = live.scratch.path(name + ".fifo")
        guard unsafe mkfifo(fifo, 0o600) == 0 else { throw TestProblem("mkfifo: error \(errno)") }
        // An end that both reads and writes opens at once.
        let input = try #require(FileHandle(forUpdatingAtPath: fifo))
        let sample = Repository.root + "/Examples/.build/debug/firstline-worker"
        guard FileManager.default.isExecutableFile(atPath: sample) else {
            throw TestProblem("\(sample) is not built: make sample")
        }
        let program = try await RunningProgram.start(
            "/bin/sh",
            [
                "-c", #"exec "$0" --config "$1" --json <"$2""#, sample, live.path("apps/\(Self.number)/config.json"),
                fifo,
            ], environment: ["BATON_SOCKET": live.path("run/broker.sock")], log: name + ".log", awaitsReady: false,
            in: live.scratch)
        processes.append(Process(program: program, input: input))
    }

    /// Enters a command for any process, a stopped one too. What it does may be pending when the worker changes.
    private mutating func tell(_ command: String) throws {
        guard let number = try chosen(isStopped: nil) else { return }
        try processes[number].input.write(contentsOf: Data((command + "\n").utf8))
    }

    private mutating func send(_ step: Step) throws {
        guard let number = try chosen(isStopped: step == .resume ? true : nil) else { return }
        processes[number].program.send([.kill: SIGKILL, .stop: SIGSTOP, .resume: SIGCONT][step] ?? SIGKILL)
        processes[number].isStopped = step == .stop
    }

    /// A process that has not ended.
    private mutating func chosen(isStopped: Bool?) throws -> Int? {
        processes = try processes.filter { try !$0.hasEnded }
        return processes.indices.filter { isStopped == nil || processes[$0].isStopped == isStopped }
            .randomElement(using: &random)
    }

    private func mark(_ person: String) -> String { "note-of-\(person)-" }

    /// Notes what there is of anybody but the signed-in worker.
    private mutating func look() async throws {
        let former = Self.people.filter { $0 != worker }.map(mark)
        for file in files() {
            let text = String(decoding: FileManager.default.contents(atPath: file) ?? Data(), as: UTF8.self)
            found += former.filter(text.contains).map { "\($0) in \(file)" }
        }
        for process in processes {
            let text = String(decoding: try process.program.log().utf8.dropFirst(process.read), as: UTF8.self)
            found += former.filter(text.contains).map { "\($0) in an output: \(text)" }
        }
        found += try await live.status().lockedApps.map { "\($0) is locked" }
    }

    private func files() -> [String] {
        let folder = live.path(Self.data)
        return FileManager.default.enumerator(atPath: folder)?.compactMap { ($0 as? String).map { folder + "/" + $0 } }
            ?? []
    }
}
