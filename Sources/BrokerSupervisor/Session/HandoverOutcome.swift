// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol
package import DeviceSettings

/// A hand-over of the device, as its receipt will describe it: the epoch that ended, the reason, and the outcome of
/// each item.
package struct HandoverOutcome: Sendable, Equatable {
    package let ended: Epoch
    package let next: Epoch
    /// Why the epoch ended; nil if an earlier version committed the end.
    package let trigger: SignOutTrigger?
    /// Whether nobody had signed in. True for a sign-in that failed and for an administrator's sign-in.
    package let isAttempt: Bool
    package let items: [ItemOutcome]

    package init(ended: Epoch, next: Epoch, trigger: SignOutTrigger?, isAttempt: Bool, items: [ItemOutcome]) {
        self.ended = ended
        self.next = next
        self.trigger = trigger
        self.isAttempt = isAttempt
        self.items = items
    }
}
