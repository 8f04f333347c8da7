// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Processes
import TestSupport

/// A process of the sample app for the terminal. It prints one JSON object per line.
final class SampleTerminal {
    let program: RunningProgram
    private let input: FileHandle
    private let output: FileHandle
    private var commands = 0
    private var answers = 0
    private var rest: [UInt8] = []
    private(set) var isStopped = false

    /// How long a process may take to answer.
    private static let patience = Duration.seconds(120)
    /// The milliseconds between two checks of whether the process has ended.
    private static let pause: Int32 = 500

    init(ofApp number: Int, _ live: LiveEnvironment) async throws {
        let sample = Repository.root + "/Examples/.build/debug/firstline-worker"
        guard FileManager.default.isExecutableFile(atPath: sample) else {
            throw TestProblem("\(sample) is not built: make sample")
        }
        let name = "terminal-\(UInt32.random(in: 0...UInt32.max))"
        (input, output) = (
            try Self.pipe(live.scratch.path(name + ".in")), try Self.pipe(live.scratch.path(name + ".out"))
        )
        program = try await RunningProgram.start(
            "/bin/sh",
            [
                "-c", #"exec "$0" --config "$1" --json <"$2" >"$3""#, sample, live.path("apps/\(number)/config.json"),
                live.scratch.path(name + ".in"), live.scratch.path(name + ".out"),
            ], environment: ["BATON_SOCKET": live.path("run/broker.sock")], log: name + ".log", awaitsReady: false,
            in: live.scratch)
    }

    /// Makes a FIFO and opens it for reading and writing, which does not block.
    private static func pipe(_ path: String) throws -> FileHandle {
        guard unsafe mkfifo(path, 0o600) == 0 else { throw TestProblem("mkfifo: error \(errno)") }
        return try FileHandle(forUpdating: URL(filePath: path))
    }

    var hasEnded: Bool {
        get throws { try ProcessTable.entry(program.pid)?.isZombie ?? true }
    }

    func send(_ signal: Int32) {
        program.send(signal)
        isStopped = signal == SIGSTOP
    }

    /// Enters a command. The command may still be pending when the worker changes.
    func tell(_ command: String) throws {
        commands += 1
        try input.write(contentsOf: Data((command + "\n").utf8))
    }

    /// What the process has printed since the last call.
    func printed() -> [[String: String]] {
        while isReadable(output.fileDescriptor, within: 0) { rest += output.availableData }
        let lines = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        rest = Array(lines.last ?? [])
        let printed = lines.dropLast().compactMap { try? JSONDecoder().decode([String: String].self, from: Data($0)) }
        answers += printed.count { $0["answer"] != nil }
        return printed
    }

    /// Waits until every command has its answer, or the process has ended.
    ///
    /// - Returns: what the process has printed meanwhile.
    /// - Throws: ``TestProblem`` if it does not answer.
    func finished() async throws -> [[String: String]] {
        var all = printed()
        let deadline = ContinuousClock.now + Self.patience
        while answers < commands, try !hasEnded {
            guard ContinuousClock.now < deadline else {
                throw TestProblem("\(commands - answers) commands have no answer; printed last: \(all.suffix(3))")
            }
            let number = output.fileDescriptor
            _ = try await blocking { isReadable(number, within: Self.pause) }
            all += printed()
        }
        return all
    }
}
