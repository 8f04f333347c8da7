// SPDX-License-Identifier: Apache-2.0

/// Limits how many refusals per second are reported to the supervisor, so that an app that sends requests endlessly
/// does not keep the supervisor busy.
struct RefusalMeter: Sendable {
    private var second = 0
    private var told = 0
    private var swallowed = 0

    private static let perSecond = 8

    /// Returns how many refusals before this one were suppressed; nil if a refusal at `time` (in seconds) may not be
    /// reported.
    mutating func admits(at time: Int) -> Int? {
        if time != second { (second, told) = (time, 0) }
        guard told < Self.perSecond else {
            swallowed += 1
            return nil
        }
        told += 1
        defer { swallowed = 0 }
        return swallowed
    }
}
