// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// The search must find texts planted in files. The leak tests rely on it.
@Suite struct PlantedTextTests {
    /// Plants each encoding in its own file. Returns the encodings that the search reports for each file.
    private func found(_ place: Place, pack: ([UInt8]) -> [UInt8]) async throws -> [String: Set<String>] {
        for (name, bytes) in Sample.encoded { try place.plant(pack(bytes), in: name) }
        let hits = try await place.hits()
        #expect(hits.keys.sorted() == ["name"])
        return Dictionary(grouping: hits["name"] ?? [], by: \.file).mapValues { Set($0.map(\.encoding)) }
    }

    @Test func `each encoding is found in a file`() async throws {
        try await Scratch.with { scratch in
            let found = try await found(Place(in: scratch)) {
                Array("\0around".utf8) + $0 + Array("around".utf8) + [0xff]
            }
            for name in Sample.encoded.keys {
                #expect(found[name]?.contains(Sample.searchName(of: name)) == true, "\(name): \(found[name] ?? [])")
            }
        }
    }

    @Test(arguments: Compression.allCases)
    func `each encoding is found in each kind of compressed stream`(_ compression: Compression) async throws {
        try await Scratch.with { scratch in
            let found = try await found(Place(in: scratch)) { bytes in
                let noise = (0..<50).map { _ in UInt8.random(in: 0...255) }
                return compression.pack(noise + bytes + Array(String(repeating: "around", count: 50).utf8))
            }
            for name in Sample.encoded.keys {
                #expect(found[name]?.contains(Sample.searchName(of: name)) == true, "\(name): \(found[name] ?? [])")
            }
        }
    }

    @Test func `bytes that are not text are found and reported unchanged`() async throws {
        try await Scratch.with { scratch in
            let place = try Place(in: scratch)
            let key: [UInt8] = [0, 255, 10, 92, 128, 46, 0, 7, 200, 13, 43, 1]
            let canaries = #"{"key":{"hex":"00ff0a5c802e0007c80d2b01"}}"#
            let forms = [
                "raw": key, "base64": Array("eAD/ClyALgAHyA0rAQ==".utf8), "hex": Array("00ff0a5c802e0007c80d2b01".utf8),
            ]
            for (name, bytes) in forms { try place.plant(Array("before".utf8) + bytes + Array("after".utf8), in: name) }
            #expect(Set(try await place.hits(canaries: canaries)["key"]?.map(\.file) ?? []) == Set(forms.keys))
            try place.plant(Array(key.dropFirst()), in: "raw")
            for name in ["base64", "hex"] { try place.plant("", in: name) }
            #expect(try await place.search("--expect-none", canaries: canaries).code == 0)
        }
    }

    @Test func `an incomplete or changed text is not found`() async throws {
        try await Scratch.with { scratch in
            let place = try Place(in: scratch)
            let broken = [
                Array(Sample.text.utf8.dropLast()), Array((Sample.encoded["utf-16le"] ?? []).dropLast(2)),
                Array(Sample.plain.utf8.dropLast()), Array(Sample.plain.uppercased().utf8),
            ]
            for (number, bytes) in broken.enumerated() { try place.plant(bytes, in: "\(number)") }
            #expect(try await place.search("--expect-none").code == 0)
            #expect(try await place.search("--expect-hit", "place").code == 1)
        }
    }

    @Test func `a text that crosses a read boundary is found once, at its position`() async throws {
        try await Scratch.with { scratch in
            let place = try Place(in: scratch)
            var expected: Set<String> = []
            for border in [4 << 20, 8 << 20] {
                for before in [1, 7, 14, 15] {
                    let name = "\(border)-\(before)"
                    let zeros = [UInt8](repeating: 0, count: border - before)
                    try place.plant(zeros + Array(Sample.plain.utf8) + zeros.prefix(1000), in: name)
                    expected.insert("\(name)+\(border - before)")
                }
            }
            let hits = try await place.hits()["plain"] ?? []
            #expect(hits.map(\.place).sorted() == expected.sorted() && hits.allSatisfy { $0.encoding == "raw" })
        }
    }

    @Test func `a text within another and two copies of one text are all found`() async throws {
        try await Scratch.with { scratch in
            let place = try Place(in: scratch)
            try place.plant("...Amara Okafor-Canary...")
            let canaries = Sample.canaries([
                "short": "Amara Okafor", "long": "Amara Okafor-Canary", "same": "Amara Okafor",
            ])
            let run = try await place.search("--expect-hit", "place=short,long,same", canaries: canaries)
            #expect(run.code == 0, "\(run.output)")
        }
    }

    @Test func `hits are reported without the text, even in the name of a file`() async throws {
        try await Scratch.with { scratch in
            let place = try Place(in: scratch)
            try place.plant(Sample.plain, in: "a-\(Sample.plain)-b")
            for more in ["--expect-none", "--json"] {
                let run = try await place.search("--expect-none", more)
                #expect(run.code == 1 && run.output.contains("a-<canary>-b"))
                #expect(!run.output.contains(Sample.plain))
            }
        }
    }

    @Test func `names, links and attributes are searched, but links are not followed`() async throws {
        try await Scratch.with { scratch in
            let place = try Place(in: scratch)
            let files = FileManager.default
            try place.plant("", in: "a-\(Sample.plain)-b")
            #expect(try await place.search("--expect-hit", "place=plain").code == 0)
            try files.removeItem(atPath: place.path + "/a-\(Sample.plain)-b")
            try files.createSymbolicLink(
                atPath: place.path + "/link", withDestinationPath: "/nowhere/" + Sample.plain)
            #expect(try await place.search("--expect-hit", "place=plain").code == 0)
            try files.removeItem(atPath: place.path + "/link")
            let outside = try scratch.write(Sample.plain, to: "outside")
            try files.createSymbolicLink(atPath: place.path + "/link", withDestinationPath: outside)
            #expect(try await place.search("--expect-none").code == 0)
        }
    }

    @Test func `a single file, a nested folder and a folder behind a link can be surfaces`() async throws {
        try await Scratch.with { scratch in
            let place = try Place(in: scratch)
            try FileManager.default.createDirectory(atPath: place.path + "/a/b", withIntermediateDirectories: true)
            try place.plant(Sample.plain, in: "a/b/c")
            #expect(try await place.hits()["plain"]?.map(\.place) == ["a/b/c+0"])
            let link = scratch.path("link")
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: place.path)
            for path in [place.path + "/a/b/c", link] {
                let run = try await TraceSearchRun(
                    for: Sample.canaries, ["--surface", "it=\(path)", "--expect-hit", "it=plain"], in: scratch)
                #expect(run.code == 0, "\(run.output)")
            }
        }
    }

    @Test func `a file whose name is not text is searched like any other`() async throws {
        try await Scratch.with { scratch in
            let place = try Place(in: scratch)
            // FileManager accepts only valid text as a name; a shell accepts any bytes.
            let script = #"printf %s "$1" > "$0/$(printf '\377\376')x""#
            let shell = try await RunningProgram.start(
                "/bin/sh", ["-c", script, place.path, Sample.plain], log: "sh.log", awaitsReady: false, in: scratch)
            #expect(try await shell.waitForExit() == 0)
            #expect(try await place.hits()["plain"]?.count == 1)
        }
    }
}
