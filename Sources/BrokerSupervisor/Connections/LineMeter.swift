// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// Limits log lines that any process can cause at will: each text is written at most once a minute.
final class LineMeter: Sendable {
    private struct Line {
        var written: ContinuousClock.Instant
        var swallowed = 0
    }

    private let lines = Mutex<[String: Line]>([:])
    private let now: @Sendable () -> ContinuousClock.Instant

    private static let pause = Duration.seconds(60)

    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

    /// Returns how many lines of this text were suppressed since the last one; nil if no line may be written now.
    ///
    /// - Parameter text: one of a few constant texts.
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
