// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import FoundationEssentials
import TraceSearch

/// Searches places for canaries.
struct SearchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search",
        abstract: "Search files, folders and processes for canaries, and check what is expected.",
        discussion: """
            The canaries come on standard input, so that no text stands on a command line: a JSON object, name → text (at \
            least 6 bytes) or, for bytes that are no text, {"hex": digits}.

            Each text is looked for raw (UTF-8), as UTF-16 (both orders), base64 (at its three offsets, both alphabets), \
            percent-encoded and form-encoded, JSON- and HTML-escaped (also partly), hexadecimal, and all of these inside gzip, \
            zlib and zip streams of files and in files that are one raw deflate stream; bytes that are no text raw, in base64 \
            and hexadecimal. Not seen: other compressions (Brotli, Snappy), encryption, texts that a database splits over \
            pages.

            Prints a line for each place and canary with encoding and offset, never the text. Exit code 0: every expectation \
            held; 1: one did not; 2: something could not be searched: then nothing is proved; 64: the call is wrong.
            """)

    @Option(help: "NAME=PATH: a file or a folder (names, link targets, extended attributes; links are not followed).")
    var surface: [String] = []
    @Option(help: "NAME=PID: a process: its readable memory and the unlinked files that it holds open.")
    var process: [String] = []
    @Option(help: "A surface that need not be there.") var absentIsNone: [String] = []
    @Flag(help: "No canary is anywhere.") var expectNone = false
    @Option(help: "SURFACE[,SURFACE]…: no canary is there.") var expectNoneIn: [String] = []
    @Option(help: "SURFACE[=CANARY[,CANARY]…]: these canaries are there; any one where none is named.")
    var expectHit: [String] = []
    @Flag(help: "Print JSON.") var json = false

    func run() throws {
        let report = try search().run()
        if json {
            print(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
        } else {
            for line in report.lines { print(line) }
        }
        guard report.outcome == .asExpected else { throw ExitCode(report.outcome.rawValue) }
    }

    private func search() throws -> Search {
        do throws(WrongCall) {
            return try Search(
                for: try Canary.readStandardInput(), in: try places(), absentIsNone: absentIsNone,
                expecting: expectations())
        } catch { throw ValidationError(error.description) }
    }

    private func places() throws(WrongCall) -> [(name: String, place: Search.Place)] {
        var places: [(name: String, place: Search.Place)] = []
        for text in surface {
            let (name, path) = try Self.pair(text)
            places.append((name, .files(path: path)))
        }
        for text in process {
            let (name, number) = try Self.pair(text)
            guard let pid = Int32(number), pid > 0 else { throw WrongCall("\(number) is not the number of a process") }
            places.append((name, .process(pid)))
        }
        return places
    }

    private static func pair(_ text: String) throws(WrongCall) -> (name: String, value: String) {
        guard let border = text.firstIndex(of: "="), border != text.startIndex else {
            throw WrongCall("give surfaces as NAME=PATH or NAME=PID")
        }
        return (String(text[..<border]), String(text[text.index(after: border)...]))
    }

    private func expectations() -> [Search.Expectation] {
        var expectations: [Search.Expectation] = expectNone ? [.none] : []
        for names in expectNoneIn {
            expectations += names.split(separator: ",").map { .noneIn(place: String($0)) }
        }
        for rule in expectHit {
            let parts = rule.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let canaries = parts.count > 1 ? parts[1].split(separator: ",").map(String.init) : []
            expectations += canaries.map { .hit(place: parts[0], canary: $0) }
            if canaries.isEmpty { expectations.append(.hit(place: parts[0], canary: nil)) }
        }
        return expectations
    }
}
