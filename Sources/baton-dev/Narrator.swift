// SPDX-License-Identifier: Apache-2.0
import CommandLineInterface
import FoundationEssentials

/// Reports the progress of a command: as lines or, with `--json`, as one object per line.
struct Narrator {
    let isJSON: Bool
    private let clock = ContinuousClock()
    private let begin = ContinuousClock.now

    init(isJSON: Bool) { self.isJSON = isJSON }

    /// Prints lines that are not part of the JSON output.
    func say(_ lines: String...) throws { if !isJSON { try OutputOptions.print(lines) } }

    /// Reports an event: prints `event` with `--json`, otherwise `lines`.
    func tell(_ event: NarratedEvent, lines: [String]) throws {
        guard isJSON else { return try OutputOptions.print(lines) }
        var event = event
        event.time = Int64(Date.now.timeIntervalSince1970 * 1000)
        event.elapsed = Self.milliseconds(clock.now - begin)
        try OutputOptions.print(json: event)
    }

    /// Runs one step and reports its outcome and duration.
    ///
    /// - Parameter line: makes the line for a successful step, from the milliseconds since the command's start and
    ///   since the step's start; nil to print no line.
    func step(
        _ name: String, _ text: String, line: (_ elapsed: Int64, _ duration: Int64) -> String? = { _, _ in nil },
        run body: () async throws -> Void
    ) async throws {
        let start = clock.now
        var event = NarratedEvent(.step)
        event.step = name
        event.text = text
        do { try await body() } catch {
            event.result = .failed
            event.duration = Self.milliseconds(clock.now - start)
            try? tell(event, lines: [])
            throw error
        }
        let end = clock.now
        event.result = .ok
        event.duration = Self.milliseconds(end - start)
        let words = line(Self.milliseconds(end - begin), Self.milliseconds(end - start))
        try tell(event, lines: words.map { [$0] } ?? [])
    }

    private static func milliseconds(_ duration: Duration) -> Int64 { Int64(duration / .milliseconds(1)) }
}

/// One line of `--json` output of a command that runs for a while. docs/administration.md lists the keys.
struct NarratedEvent: Encodable {
    /// The kinds of events.
    enum Kind: String, Encodable { case step, ready, restarted, died, ending, ended }
    enum Result: String, Encodable { case ok, failed }

    let event: Kind
    /// Milliseconds since 1970.
    fileprivate(set) var time: Int64 = 0
    /// Milliseconds since the command's start.
    fileprivate(set) var elapsed: Int64 = 0
    /// The step's stable name.
    var step: String?
    /// The step as a sentence.
    var text: String?
    var result: Result?
    /// The step's duration in milliseconds.
    var duration: Int64?
    /// The environment that is ready.
    var environment: EnvironmentSummary?
    /// A program that exited, with its status and its log.
    var program: String?
    var status: String?
    var log: String?
    /// The process of the program that was started again.
    var pid: Int32?

    init(_ event: Kind) { self.event = event }
}
