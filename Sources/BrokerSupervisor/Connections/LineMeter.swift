// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// Lets a line through to the log once a minute for each text, for what anybody can make happen as often as they like.
final class LineMeter: Sendable {
    private struct Line {
        var written: ContinuousClock.Instant
        var swallowed = 0
    }

    private let lines = Mutex<[String: Line]>([:])
    private let now: @Sendable () -> ContinuousClock.Instant

    private static let pause = Duration.seconds(60)

    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

    /// Whether a line may be written now, and how many of its text were not since the last one.
    ///
    /// - Parameter text: one of the few texts that the code has.
    func admits(_ text: String) -> Int? {
        let now = now()
        return lines.withLock { lines in
            if let line = lines[text], line.written.duration(to: now) < Self.pause {
                lines[text]?.swallowed += 1
                return nil
            }
            let swallowed = lines[text]?.swallowed ?? 0
            lines[text] = Line(written: now)
            return swallowed
        }
    }
}
