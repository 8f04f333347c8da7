// SPDX-License-Identifier: Apache-2.0

/// The supervisor's wait for an agent to connect, and the page to open when one has connected.
struct AgentWait {
    /// The number of the current wait; nil if there is none.
    var number: UInt64?
    /// The page that opens as soon as an agent connects; nil if no page waits.
    var page: String?
    private var count: UInt64 = 0

    /// Starts a wait and returns its number; nil if an earlier wait has not ended.
    mutating func begin() -> UInt64? {
        guard number == nil else { return nil }
        count += 1
        number = count
        return count
    }
}
