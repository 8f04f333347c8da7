// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import TestSupport
import Testing

/// A place that cannot be searched is an error, never "none". A rule that could never fail is refused.
@Suite struct SearchCallTests {
    @Test func `a missing surface is an error unless it may be missing`() async throws {
        try await Scratch.with { scratch in
            let missing = ["--surface", "gone=\(scratch.path("missing"))", "--expect-none"]
            #expect(try await TraceSearchRun(for: Sample.canaries, missing, in: scratch).code == 2)
            let allowed = missing + ["--absent-is-none", "gone"]
            #expect(try await TraceSearchRun(for: Sample.canaries, allowed, in: scratch).code == 0)
            // The surface is the link's target, which does not exist.
            let dangling = scratch.path("dangling")
            try FileManager.default.createSymbolicLink(atPath: dangling, withDestinationPath: "/nowhere")
            let link = ["--surface", "gone=\(dangling)", "--expect-none"]
            #expect(try await TraceSearchRun(for: Sample.canaries, link, in: scratch).code == 2)
        }
    }

    @Test func `an unreadable file is an error`() async throws {
        try await Scratch.with { scratch in
            let place = try Place(in: scratch)
            try place.plant("x", in: "hidden")
            let isShut = unsafe chmod(place.path + "/hidden", 0) == 0
            #expect(isShut)
            let run = try await place.search("--expect-none", through: humble)
            #expect(run.code == 2 && run.output.contains("could not search hidden: Permission denied"), "\(run.output)")
        }
    }

    @Test func `a stream that unpacks without end is an error`() async throws {
        try await Scratch.with { scratch in
            let place = try Place(in: scratch)
            try place.plant(Compression.deflate([UInt8](repeating: 0, count: 65 << 20), 31, level: 9))
            let run = try await place.search("--expect-none")
            #expect(run.code == 2 && run.output.contains("unpacks to more than"), "\(run.output)")
        }
    }

    @Test func `a fifo does not stop the search`() async throws {
        try await Scratch.with { scratch in
            let place = try Place(in: scratch)
            let isMade = unsafe mkfifo(place.path + "/fifo", 0o600) == 0
            #expect(isMade)
            #expect(try await place.search("--expect-none").code == 0)
        }
    }

    @Test func `invalid calls and rules that could never fail are refused`() async throws {
        try await Scratch.with { scratch in
            let surface = ["--surface", "place=\(scratch.path)"]
            for arguments in [
                surface, ["--expect-none"], surface + ["--expect-hit", "other"],
                surface + ["--expect-none-in", "other"],
                surface + ["--expect-hit", "place=other"], surface + surface + ["--expect-none"],
                surface + ["--expect-none-in", ""], surface + ["--expect-hit", ""],
                ["--surface", scratch.path, "--expect-none"], ["--process", "odd=one", "--expect-none"],
                surface + ["--absent-is-none", "other", "--expect-none"],
            ] {
                let run = try await TraceSearchRun(for: Sample.canaries, arguments, in: scratch)
                #expect(run.code == 64, "\(arguments): \(run.output)")
            }
            for canaries in [
                "", "{}", "[]", #"{"short":"abc"}"#, #"{"number":1}"#, #"{"odd":{"hex":"0g0g0g0g0g0g0g0g0g"}}"#,
                #"{"odd":{"hex":"00ff00ff00ff0"}}"#, #"{"short":{"hex":"00ff"}}"#, #"{"empty":{}}"#,
                #"{"list":{"hex":[1,1,1,1,1,1,1,1,1]}}"#,
            ] {
                let run = try await TraceSearchRun(for: canaries, surface + ["--expect-none"], in: scratch)
                #expect(run.code == 64, "\(canaries): \(run.output)")
            }
        }
    }

    @Test func `rules apply to each surface separately`() async throws {
        try await Scratch.with { scratch in
            let place = try Place(in: scratch)
            try place.plant(Sample.plain)
            let empty = scratch.path("empty")
            try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: false)
            let both = ["--surface", "empty=\(empty)"]
            for (rules, code) in [
                (["--expect-none-in", "empty", "--expect-hit", "place=plain"], 0), (["--expect-none-in", "place"], 1),
                (["--expect-none-in", "empty,place"], 1), (["--expect-hit", "empty"], 1),
                (["--expect-hit", "place=name"], 1), (["--expect-hit", "place=plain,name"], 1), (["--expect-none"], 1),
            ] {
                let run = try await TraceSearchRun(
                    for: Sample.canaries, ["--surface", "place=\(place.path)"] + both + rules, in: scratch)
                #expect(run.code == code, "\(rules): \(run.output)")
            }
        }
    }
}
