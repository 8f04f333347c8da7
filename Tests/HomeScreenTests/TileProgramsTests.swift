// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Processes
import TestSupport
import Testing

@testable import HomeScreen

/// The programs that tiles open, with real processes.
@Suite(.timeLimit(.minutes(1))) struct TileProgramsTests {
    /// A program that starts another program in a separate session; both run until they are killed. Each writes its
    /// process id to a FIFO.
    private static let script = """
        setsid sh -c 'echo $$ > "$0" && exec sleep 86396' "$0" &
        echo $$ > "$0"
        wait
        """

    /// Opens the program and returns the process ids of both, when both run.
    private func open(_ programs: TilePrograms, fifo: String) async throws -> [Int32] {
        try #require(unsafe mkfifo(fifo, 0o600) == 0)
        return try await blocking {
            // The FIFO is also opened for writing, so that reading does not end before both programs have written.
            let reader = try #require(FileHandle(forUpdatingAtPath: fifo))
            programs.open(0, program: "/bin/sh", arguments: ["-c", Self.script, fifo]) { _ in }
            var text = ""
            while text.count(where: { $0 == "\n" }) < 2 {
                text += String(decoding: reader.availableData, as: UTF8.self)
            }
            return text.split(separator: "\n").compactMap { Int32($0) }
        }
    }

    private func runs(_ pid: Int32) -> Bool {
        guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else { return false }
        return !text.contains(") Z ")
    }

    @Test func `the end of a session ends every program of a tile, and what it started`() async throws {
        try await Scratch.with { scratch in
            let programs = TilePrograms(environment: ["PATH": "/usr/bin:/bin"], device: scratch.path("run"))
            let pids = try await open(programs, fifo: scratch.path("fifo"))
            #expect(pids.allSatisfy(runs))
            try await blocking { try programs.end() }
            #expect(!pids.contains(where: runs))
        }
    }

    @Test func `programs that a killed home screen left are ended, and those of another device are not`() async throws {
        try await Scratch.with { scratch in
            let (environment, device) = (["PATH": "/usr/bin:/bin"], scratch.path("run"))
            let left = try await open(
                TilePrograms(environment: environment, device: device), fifo: scratch.path("left"))
            let other = TilePrograms(environment: environment, device: device + "-2")
            let kept = try await open(other, fifo: scratch.path("other"))
            try await blocking { try TilePrograms(environment: environment, device: device).end() }
            #expect(!left.contains(where: runs))
            #expect(kept.allSatisfy(runs))
            try await blocking { try other.end() }
        }
    }
}
