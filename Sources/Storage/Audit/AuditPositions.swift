// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// Generates the positions of audit lines: the time in microseconds since 1970. The digits below a millisecond only
/// make the positions different.
///
/// Within one process, each position is higher than all earlier ones, even if the clock is set back. Two nodes may
/// generate the same position in the same millisecond; the table's key detects this.
enum AuditPositions {
    private static let last = Mutex<Int64>(0)

    /// Returns the position for a line that is written at `time`.
    static func next(at time: Timestamp) -> Int64 {
        // The first line of a millisecond gets a random position in the first half of that millisecond, so that two
        // nodes seldom generate the same position.
        let first = time.rawValue * 1000 + Int64.random(in: 0..<500)
        return last.withLock { last in
            last = max(last + 1, first)
            return last
        }
    }
}
