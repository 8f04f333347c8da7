// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// Limits how many connections a socket serves at once, for each user and in total. Each connection occupies a thread.
final class ControlConnectionLimiter: Sendable {
    private let perUser: Int
    private let total: Int
    private let taken = Mutex<[UInt32: Int]>([:])

    init(perUser: Int, total: Int) {
        self.perUser = perUser
        self.total = total
    }

    /// Counts one more connection of this user; returns false if a limit has been reached.
    func take(_ user: UInt32) -> Bool {
        taken.withLock { taken in
            guard taken[user, default: 0] < perUser, taken.values.reduce(0, +) < total else { return false }
            taken[user, default: 0] += 1
            return true
        }
    }

    /// Removes one connection of this user from the count.
    func leave(_ user: UInt32) {
        taken.withLock { taken in
            guard let count = taken[user] else { return }
            taken[user] = count > 1 ? count - 1 : nil
        }
    }
}
