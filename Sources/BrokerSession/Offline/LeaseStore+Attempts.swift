// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import OAuth

/// Counts sign-in attempts with a lease on disk, before each attempt is judged.
extension LeaseStore {
    /// Takes one attempt from a lease; the count is on disk when this returns. Returns nil if no attempt was left, and
    /// erases the lease.
    package func charge(_ held: HeldLease) throws -> HeldLease? {
        guard !held.isUsedUp else {
            try erase(held.lease.id, because: "attempts")
            return nil
        }
        var charged = held
        charged.record.attempts += 1
        try keep(charged)
        Failpoint.attemptCounted.reach()
        return charged
    }

    /// Records a wrong attempt. The last wrong attempt erases the lease.
    func fail(_ held: HeldLease) throws {
        guard held.isUsedUp else { return }
        try erase(held.lease.id, because: "attempts")
        if try ids().isEmpty { try eraseAll() }
    }

    /// Takes back an attempt that was not judged, since it gained no guess.
    func giveBack(_ held: HeldLease) throws {
        var changed = held
        changed.record.attempts -= 1
        try keep(changed)
    }

    /// Records a correct attempt: the count starts again, and the current pseudonym for receipts counts as used.
    func succeed(_ held: HeldLease) throws {
        var changed = held
        changed.record.attempts = 0
        changed.record.subjectsUsed += 1
        try keep(changed)
    }
}
