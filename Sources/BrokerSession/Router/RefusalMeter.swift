// SPDX-License-Identifier: Apache-2.0

/// Lets a few refusals a second through to the supervisor, so that an app that asks without end does not keep it busy.
struct RefusalMeter: Sendable {
    private var second = 0
    private var told = 0
    private var swallowed = 0

    private static let perSecond = 8

    /// Whether a refusal at `time` (seconds) may be told, and how many before it were not.
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
