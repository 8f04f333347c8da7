// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import OAuth

/// Counting attempts to sign in with a lease, on disk before each is judged.
extension LeaseStore {
    /// Takes one attempt off a lease, on disk when this returns; nil where none was left, after which the lease is gone.
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

    /// The attempt was wrong; the last one erases the lease.
    func fail(_ held: HeldLease) throws {
        guard held.isUsedUp else { return }
        try erase(held.lease.id, because: "attempts")
        if try ids().isEmpty { try eraseAll() }
    }

    /// The attempt was not judged: nobody has gained a guess by it, and nobody loses one.
    func giveBack(_ held: HeldLease) throws {
        var changed = held
        changed.record.attempts -= 1
        try keep(changed)
    }

    /// The attempt was right: the count begins anew, and the name for receipts is used.
    func succeed(_ held: HeldLease) throws {
        var changed = held
        changed.record.attempts = 0
        changed.record.subjectsUsed += 1
        try keep(changed)
    }
}
