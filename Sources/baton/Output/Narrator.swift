// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// Tells what a command does while it does it: lines for people, or with `--json` one object a line for programs.
struct Narrator {
    let isJSON: Bool
    private let clock = ContinuousClock()
    private let begin = ContinuousClock.now

    init(isJSON: Bool) { self.isJSON = isJSON }

    /// What only people read.
    func say(_ lines: String...) throws { if !isJSON { try OutputOptions.print(lines) } }

    /// What happened: `event` for programs, `lines` for people.
    func tell(_ event: NarratedEvent, lines: [String]) throws {
        guard isJSON else { return try OutputOptions.print(lines) }
        var event = event
        event.time = Int64(Date.now.timeIntervalSince1970 * 1000)
        event.elapsed = Self.milliseconds(clock.now - begin)
        try OutputOptions.print(json: event)
    }

    /// Runs one step and tells how it ended and how long it took.
    ///
    /// - Parameter line: the line for people of a step that went well, from the milliseconds since the command's
    ///   beginning and since the step's; nil prints none.
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

/// One line of `--json` of a command that runs for a while; docs/administration.md names the keys.
struct NarratedEvent: Encodable {
    /// What can happen.
    enum Kind: String, Encodable { case step, ready, died, ending, ended }
    enum Result: String, Encodable { case ok, failed }

    let event: Kind
    /// Milliseconds since 1970.
    fileprivate(set) var time: Int64 = 0
    /// Milliseconds since the command's beginning.
    fileprivate(set) var elapsed: Int64 = 0
    /// A step's stable name.
    var step: String?
    /// A step as a sentence.
    var text: String?
    var result: Result?
    /// Milliseconds that a step took.
    var duration: Int64?
    /// The environment that is ready.
    var environment: EnvironmentSummary?
    /// A program that died, how, and where it wrote what it had to say.
    var program: String?
    var status: String?
    var log: String?

    init(_ event: Kind) { self.event = event }
}
