// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import BrokerProtocol

/// Whom each reader of the device's accounts has been told of, on disk before it hears of it.
struct TombstoneStore {
    private(set) var told: [AccountReader: [AccountTombstone]]
    private let files: DeviceFiles
    /// Seconds since 1970.
    private let now: @Sendable () -> Int

    /// Seconds for which a client that has not asked yet may still learn whose session ended.
    private static let tombstoneLife = 24 * 60 * 60

    init(files: DeviceFiles, now: @escaping @Sendable () -> Int) throws {
        (self.files, self.now) = (files, now)
        told = try files.tombstones()
    }

    /// Notes that whoever was there in this epoch has gone.
    mutating func end(_ ended: Epoch) throws {
        try keep(
            told.mapValues { told in
                told.map { tombstone in
                    guard tombstone.endedAt == nil, tombstone.epoch == ended else { return tombstone }
                    var gone = tombstone
                    gone.endedAt = now()
                    return gone
                }
            })
    }

    /// Forgets what is older than it may be.
    ///
    /// - Returns: whether there was any.
    mutating func forgetOld() throws -> Bool {
        let living = told.mapValues { $0.filter(isYoung) }.filter { !$0.value.isEmpty }
        guard living != told else { return false }
        try keep(living)
        return true
    }

    /// Keeps what a reader has been told of now; when an epoch ended is known here alone, whatever comes back from a
    /// session process.
    ///
    /// - Parameter live: the epoch that has not ended.
    mutating func set(_ new: [AccountTombstone], of reader: AccountReader, live: Epoch) throws {
        let known = told[reader] ?? []
        let current = new.map { tombstone in
            let end = known.first { $0.homeAccountID == tombstone.homeAccountID && $0.epoch == tombstone.epoch }?
                .endedAt
            let isLive = tombstone.epoch == live
            var current = tombstone
            current.endedAt = isLive ? nil : end ?? now()
            return current
        }
        var changed = told
        changed[reader] = current.isEmpty ? nil : current.filter(isYoung)
        try keep(changed)
    }

    /// What ended after now was written down before the clock was set back: nobody can say how long ago that is.
    private func isYoung(_ tombstone: AccountTombstone) -> Bool {
        tombstone.endedAt.map { abs(now() - $0) < Self.tombstoneLife } ?? true
    }

    private mutating func keep(_ changed: [AccountReader: [AccountTombstone]]) throws {
        guard changed != told else { return }
        try files.write(changed)
        told = changed
    }
}
