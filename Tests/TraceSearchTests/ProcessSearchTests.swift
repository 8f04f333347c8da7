// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import TestSupport
import Testing
import TraceSearch

/// Searches the memory and the unlinked files of processes, by whichever method the kernel allows.
@Suite struct ProcessSearchTests {
    /// A program that holds the bytes of its argument in memory or in an unlinked file. The argument is scrambled, so
    /// that the search does not find the argument itself.
    private static let holder = """
        import ctypes, os, signal, socket, sys, tempfile
        what = bytes(int(byte) ^ 0x5a for byte in sys.argv[2].split("."))
        if sys.argv[1] == "shut":
            # Like batond's session process: PR_SET_DUMPABLE 0 (prctl(2)).
            ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
        if sys.argv[1] != "file":
            kept = bytearray(b"x" + what)
        else:
            kept = tempfile.TemporaryFile()
            kept.write(what)
            kept.flush()
        del what
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ready:
            ready.sendto(b"READY=1", os.environ["NOTIFY_SOCKET"])
        signal.pause()
        """

    private func hold(_ bytes: [UInt8], in place: String, _ scratch: Scratch) async throws -> RunningProgram {
        let scrambled = bytes.map { "\($0 ^ 0x5a)" }.joined(separator: ".")
        return try await RunningProgram.start(
            "/usr/bin/python3", ["-c", Self.holder, place, scrambled], log: "holder.log", in: scratch)
    }

    private func search(_ pid: Int32, _ more: String..., in scratch: Scratch) async throws -> TraceSearchRun {
        try await TraceSearchRun(for: Sample.canaries, ["--process", "child=\(pid)"] + more, in: scratch)
    }

    @Test(arguments: ["raw", "utf-16le", "utf-16be", "json", "base64@1"])
    func `text planted in a live process's memory is found, in each encoding`(_ encoding: String) async throws {
        try await Scratch.with { scratch in
            let child = try await hold(try #require(Sample.encoded[encoding]), in: "memory", scratch)
            let report = try Report(await search(child.pid, "--expect-hit", "child=name", "--json", in: scratch))
            let hits = report.surfaces.first?.hits["name"] ?? []
            #expect(report.searched && report.broken.isEmpty)
            #expect(hits.contains { $0.encoding == encoding && $0.place.hasPrefix("memory of ") }, "\(hits)")
        }
    }

    @Test func `text planted in an unlinked open file is found`() async throws {
        try await Scratch.with { scratch in
            let child = try await hold(try #require(Sample.encoded["json"]), in: "file", scratch)
            let report = try Report(await search(child.pid, "--expect-hit", "child=name", "--json", in: scratch))
            let hits = report.surfaces.first?.hits["name"] ?? []
            #expect(hits.contains { $0.encoding == "json" && $0.place.hasPrefix("unlinked file ") }, "\(hits)")
        }
    }

    @Test func `no text is found in a process that does not contain it`() async throws {
        try await Scratch.with { scratch in
            let child = try await hold(Array("something else".utf8), in: "memory", scratch)
            let run = try await search(child.pid, "--expect-none", in: scratch)
            #expect(run.code == 0, "\(run.output)")
            #expect(try await search(child.pid, "--expect-hit", "child", in: scratch).code == 1)
        }
    }

    @Test(arguments: InspectionMethod.allCases)
    func `the system calls see what the files in proc show`(_ method: InspectionMethod) async throws {
        try await Scratch.with { scratch in
            let child = try await hold(Array(Sample.plain.utf8), in: "memory", scratch)
            #expect(try HeldSecrets.canBeSeen(Sample.plain, in: child.pid, by: method))
            #expect(try !HeldSecrets.canBeSeen("another text 0815", in: child.pid, by: method))
            let memory = try ProcessMemory(of: child.pid, by: method)
            #expect(throws: SystemError.self) { try memory.read(at: 0, 1) }
            let file = try await hold(Array(Sample.plain.utf8), in: "file", scratch)
            let contents = try OpenFiles.all(of: file.pid, by: method).map { try? $0.file.reopened().read(at: 0, 64) }
            #expect(contents.contains(Array(Sample.plain.utf8)))
        }
    }

    @Test func `a missing or ended process is an error, not a result without hits`() async throws {
        try await Scratch.with { scratch in
            let child = try await hold(Array(Sample.plain.utf8), in: "memory", scratch)
            child.kill()
            // The process has ended but was not reaped: its folder in /proc exists, its memory does not.
            try await ForeignProcess(pid: child.pid).waitForEnd()
            let zombie = try await search(child.pid, "--expect-none", in: scratch)
            #expect(zombie.code == 2 && zombie.output.contains("could not search"), "\(zombie.output)")
            try await child.waitForExit()
            let gone = try await search(child.pid, "--expect-none", in: scratch)
            #expect(gone.code == 2 && gone.output.contains("there is no such process"), "\(gone.output)")
        }
    }

    @Test func `a process whose memory may not be read is an error, not a result without hits`()
        async throws
    {
        try await Scratch.with { scratch in
            let holder = try await hold(Array(Sample.plain.utf8), in: "shut", scratch)
            let run = try await TraceSearchRun(
                for: Sample.canaries, ["--process", "holder=\(holder.pid)", "--expect-none"], through: humble,
                in: scratch)
            #expect(run.code == 2 && run.output.contains("Permission denied"), "\(run.output)")
        }
    }

    @Test func `the probe finds the text of such a process with rights, and reports a lack of rights`() async throws {
        try await Scratch.with { scratch in
            // A user other than root creates a user namespace, and may inspect the processes in it.
            let wrapper = humble.isEmpty ? ["/usr/bin/unshare", "--user", "--map-current-user", "--"] : []
            let able = try await TraceSearchRun(["probe"] + wrapper, in: scratch)
            let unable = try await TraceSearchRun(["probe"], through: humble, in: scratch)
            #expect(able.code == 0 && unable.code == 2)
        }
    }

    @Test func `the search refuses to search itself, and its canaries are in no argument and no variable`() async throws
    {
        try await Scratch.with { scratch in
            let script = #"exec "$0" search --process "self=$$" --expect-none"#
            let own = try await RunningProgram.start(
                "/bin/sh", ["-c", script, try RunningProgram.built("canary")], log: "own.log",
                input: Array(Sample.canaries.utf8), awaitsReady: false, in: scratch)
            #expect(try await own.waitForExit() == 64)
            // The folder holds everything that the search wrote.
            let run = try await TraceSearchRun(
                for: Sample.canaries, ["--surface", "scratch=\(scratch.path)", "--expect-none"], in: scratch)
            #expect(run.code == 0, "\(run.output)")
        }
    }
}
