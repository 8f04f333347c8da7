// SPDX-License-Identifier: Apache-2.0
import CInspection
import Foundation
import Glibc
import TestSupport
import Testing

/// A text that each encoding changes, and a plain text.
enum Sample {
    static let text = #"Zoë "Ray" O'Neil/+&<canary> 𝄞?~"#
    static let plain = "plaincanary4711"
    static let canaries = canaries(["name": text, "plain": plain])

    static func canaries(_ texts: [String: String]) -> String {
        String(decoding: (try? JSONEncoder().encode(texts)) ?? Data(), as: UTF8.self)
    }

    /// The text as other programs encode it, by encoding. The part of a key before the comma is the search's name for
    /// the encoding.
    static let encoded: [String: [UInt8]] = {
        let texts = [
            "base64@0": "Wm/DqyAiUmF5IiBPJ05laWwvKyY8Y2FuYXJ5PiDwnYSeP34=",
            "base64@1": "eFpvw6sgIlJheSIgTydOZWlsLysmPGNhbmFyeT4g8J2Enj9+eXo=",
            "base64@2": "eHlab8OrICJSYXkiIE8nTmVpbC8rJjxjYW5hcnk+IPCdhJ4/fno=",
            "base64url@0": "Wm_DqyAiUmF5IiBPJ05laWwvKyY8Y2FuYXJ5PiDwnYSeP34=",
            "base64url@1": "eFpvw6sgIlJheSIgTydOZWlsLysmPGNhbmFyeT4g8J2Enj9-",
            "base64url@2": "eHlab8OrICJSYXkiIE8nTmVpbC8rJjxjYW5hcnk-IPCdhJ4_fg==",
            "hex": "5a6fc3ab202252617922204f274e65696c2f2b263c63616e6172793e20f09d849e3f7e",
            "hex, capitals": "5A6FC3AB202252617922204F274E65696C2F2B263C63616E6172793E20F09D849E3F7E",
            "percent": "Zo%C3%AB%20%22Ray%22%20O%27Neil%2F%2B%26%3Ccanary%3E%20%F0%9D%84%9E%3F~",
            "percent, some": "Zo%C3%AB%20%22Ray%22%20O%27Neil/%2B%26%3Ccanary%3E%20%F0%9D%84%9E%3F~",
            "percent, all": "%5a%6f%c3%ab%20%22%52%61%79%22%20%4f%27%4e%65%69%6c%2f%2b%26%3c%63%61%6e%61%72%79%3e%20"
                + "%f0%9d%84%9e%3f%7e",
            "percent, form": "q=Zo%C3%AB+%22Ray%22+O%27Neil%2F%2B%26%3Ccanary%3E+%F0%9D%84%9E%3F~",
            "json": #""Zo\u00eb \"Ray\" O'Neil/+&<canary> \ud834\udd1e?~""#,
            "json, slashes": #""Zo\u00eb \"Ray\" O'Neil\/+&<canary> \ud834\udd1e?~""#,
            "json, unicode": #""Zoë \"Ray\" O'Neil/+&<canary> 𝄞?~""#,
            "json, all":
                #"\u005A\u006F\u00EB\u0020\u0022\u0052\u0061\u0079\u0022\u0020\u004F\u0027"#
                + #"\u004E\u0065\u0069\u006C\u002F\u002B\u0026\u003C\u0063\u0061\u006E\u0061\u0072\u0079"#
                + #"\u003E\u0020\uD834\uDD1E\u003F\u007E"#,
            "html": "Zoë &quot;Ray&quot; O&#x27;Neil/+&amp;&lt;canary&gt; 𝄞?~",
            "html, numbers":
                "&#x5a;&#x6f;&#xeb;&#x20;&#x22;&#x52;&#x61;&#x79;&#x22;&#x20;&#x4f;&#x27;&#x4e;&#x65;&#x69;&#x6c;"
                + "&#x2f;&#x2b;&#x26;&#x3c;&#x63;&#x61;&#x6e;&#x61;&#x72;&#x79;&#x3e;&#x20;&#x1d11e;&#x3f;&#x7e;",
        ]
        var encoded = texts.mapValues { Array($0.utf8) }
        encoded["raw"] = Array(text.utf8)
        encoded["utf-16le"] = text.data(using: .utf16LittleEndian).map { [UInt8]($0) }
        encoded["utf-16be"] = text.data(using: .utf16BigEndian).map { [UInt8]($0) }
        return encoded
    }()

    static func searchName(of encoding: String) -> String {
        encoding.split(separator: ",").first.map(String.init) ?? ""
    }
}

/// How programs compress what they write.
enum Compression: String, CaseIterable, CustomTestStringConvertible {
    case gzip, zlib, zlibBest, zip, deflate, gzipInGzip

    var testDescription: String { rawValue }

    func pack(_ bytes: [UInt8]) -> [UInt8] {
        switch self {
        case .gzip: Array("before".utf8) + Self.deflate(bytes, 31) + Array("after".utf8)
        case .zlib: Array("before".utf8) + Self.deflate(bytes, 15) + Array("after".utf8)
        case .zlibBest: Self.deflate(bytes, 15, level: 9)
        case .zip: Self.zipHeader + Self.deflate(bytes, -15)
        case .deflate: Self.deflate(bytes, -15)
        case .gzipInGzip: Self.deflate([UInt8](repeating: 0x78, count: 99) + Self.deflate(bytes, 31), 31)
        }
    }

    /// A local file header of a zip archive with a name of nine bytes and an extra field of four.
    private static let zipHeader: [UInt8] =
        [0x50, 0x4b, 3, 4, 20, 0, 0, 0, 8, 0] + [UInt8](repeating: 0, count: 16) + [9, 0, 4, 0]
        + Array("some/nameextr".utf8)

    /// Compresses bytes with zlib, in the format that `windowBits` selects (`deflateInit2`).
    static func deflate(_ bytes: [UInt8], _ windowBits: Int32, level: Int32 = -1) -> [UInt8] {
        var (stream, input) = (unsafe z_stream(), bytes)
        var output = [UInt8](repeating: 0, count: bytes.count + 1000)
        let size = Int32(unsafe MemoryLayout<z_stream>.size)
        unsafe deflateInit2_(&stream, level, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, zlibVersion(), size)
        defer { _ = unsafe deflateEnd(&stream) }
        return unsafe input.withUnsafeMutableBufferPointer { input in
            unsafe output.withUnsafeMutableBufferPointer { output in
                unsafe stream.next_in = input.baseAddress
                unsafe stream.avail_in = UInt32(input.count)
                unsafe stream.next_out = output.baseAddress
                unsafe stream.avail_out = UInt32(output.count)
                _ = unsafe CInspection.deflate(&stream, Z_FINISH)
                return unsafe Array(output.prefix(Int(stream.total_out)))
            }
        }
    }
}

/// A folder in which tests plant content, and the search of it.
struct Place {
    let scratch: Scratch
    let path: String

    init(in scratch: Scratch) throws {
        (self.scratch, path) = (scratch, scratch.path("place"))
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    func plant(_ bytes: [UInt8], in name: String = "file") throws {
        try Data(bytes).write(to: URL(filePath: path + "/" + name))
    }

    func plant(_ text: String, in name: String = "file") throws { try plant(Array(text.utf8), in: name) }

    /// Runs the search with the folder as the surface `place`.
    func search(
        _ more: String..., canaries: String = Sample.canaries, through wrapper: [String] = []
    ) async throws -> TraceSearchRun {
        try await TraceSearchRun(
            for: canaries, ["--surface", "place=" + path] + more, through: wrapper, in: scratch)
    }

    /// Returns the hits of the search, by canary.
    func hits(canaries: String = Sample.canaries) async throws -> [String: [Report.Hit]] {
        let run = try await search("--expect-none", "--json", canaries: canaries)
        return try Report(run).surfaces.first { $0.surface == "place" }?.hits ?? [:]
    }
}

/// The output of the search with `--json`.
struct Report: Decodable {
    struct Hit: Decodable, Equatable {
        let encoding: String
        let place: String
        /// The file in the surface.
        var file: String { String(place.prefix { $0 != "+" && $0 != ">" }) }
    }
    struct Surface: Decodable {
        let surface: String
        let bytes: Int
        let errors: [String]
        let hits: [String: [Hit]]
    }

    let surfaces: [Surface]
    let broken: [String]
    let searched: Bool

    init(_ run: TraceSearchRun) throws {
        do { self = try JSONDecoder().decode(Report.self, from: Data(run.output.utf8)) } catch {
            throw TestProblem("no report: \(run.output)")
        }
    }
}

/// A command prefix that drops root's capabilities, because root may read every file; empty unless the tests run as
/// root.
let humble = getuid() == 0 ? ["/usr/bin/setpriv", "--bounding-set=-all", "--inh-caps=-all", "--"] : []
