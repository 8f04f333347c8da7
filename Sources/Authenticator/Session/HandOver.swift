// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol

/// One hand-over of the device as its receipt tells it: what ended, by which door, and what became of every trace.
package struct HandOver: Sendable, Equatable {
    package let ended: Epoch
    package let next: Epoch
    /// Nil where an earlier version committed the end.
    package let door: Door?
    /// Nobody had signed in: a sign-in that came to nothing, or an administrator's visit.
    package let isAttempt: Bool
    package let items: [ItemOutcome]

    package init(ended: Epoch, next: Epoch, door: Door?, isAttempt: Bool, items: [ItemOutcome]) {
        self.ended = ended
        self.next = next
        self.door = door
        self.isAttempt = isAttempt
        self.items = items
    }
}
