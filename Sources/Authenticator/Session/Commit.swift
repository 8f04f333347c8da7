// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol

/// The end of an epoch as the journal commits it: from here nothing brings that epoch back.
package struct Commit: Sendable, Hashable {
    package let ended: Epoch
    /// What has begun in its place.
    package let next: Epoch
    /// Nil where an earlier version wrote it.
    package let door: Door?
    /// Nobody had signed in.
    package let isAttempt: Bool

    package init(ended: Epoch, next: Epoch, door: Door?, isAttempt: Bool) {
        self.ended = ended
        self.next = next
        self.door = door
        self.isAttempt = isAttempt
    }
}
