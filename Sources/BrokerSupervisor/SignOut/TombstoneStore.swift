// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import DeviceSettings

/// Owns the record of the accounts that each reader was told about. The record is written to disk before the reader is
/// told.
final class TombstoneStore {
    private(set) var told: [AccountReader: [AccountTombstone]]
    private let files: DeviceFiles
    /// Seconds since 1970.
    private let now: @Sendable () -> Int

    /// How many seconds after the end of a session a reader may still learn whose session it was.
    private static let tombstoneLife = 24 * 60 * 60

    init(files: DeviceFiles, now: @escaping @Sendable () -> Int) throws {
        (self.files, self.now) = (files, now)
        told = try files.tombstones()
    }

    /// Records that the session of this epoch has ended.
    func end(_ ended: Epoch) throws {
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

    /// Removes tombstones that are too old.
    ///
    /// - Returns: whether any were removed.
    func forgetOld() throws -> Bool {
        let living = told.mapValues { $0.filter(isYoung) }.filter { !$0.value.isEmpty }
        guard living != told else { return false }
        try keep(living)
        return true
    }

    /// Stores the tombstones of a reader. The time of an epoch's end is taken from this store only, never from a
    /// session process.
    ///
    /// - Parameter live: the current epoch, which has not ended.
    func set(_ new: [AccountTombstone], of reader: AccountReader, live: Epoch) throws {
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

    /// Whether the tombstone's epoch has not ended, or ended less than 24 hours ago. If the clock was set back, a
    /// recorded end may lie in the future; an end more than 24 hours ahead counts as old.
    private func isYoung(_ tombstone: AccountTombstone) -> Bool {
        tombstone.endedAt.map { abs(now() - $0) < Self.tombstoneLife } ?? true
    }

    private func keep(_ changed: [AccountReader: [AccountTombstone]]) throws {
        guard changed != told else { return }
        try files.write(changed)
        told = changed
    }
}
