// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import OAuth

/// Counts the sign-in attempts with a lease. The new count is on disk before the attempt is judged.
extension LeaseStore {
    /// Counts one attempt, durably, and returns the updated lease. If no attempt is left, erases the lease and returns
    /// nil.
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

    /// Handles a wrong attempt, which is already counted. If it was the last attempt that is allowed, erases the lease.
    func fail(_ held: HeldLease) throws {
        guard held.isUsedUp else { return }
        try erase(held.lease.id, because: "attempts")
        if try ids().isEmpty { try eraseAll() }
    }

    /// Removes an attempt from the count because it was not judged. Such an attempt revealed nothing about the secret.
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
