// SPDX-License-Identifier: Apache-2.0
package import BrokerDevice
package import BrokerProtocol

/// The end of an epoch as the journal commits it: from here nothing brings that epoch back.
package struct Commit: Sendable, Hashable {
    package let ended: Epoch
    /// What has begun in its place.
    package let next: Epoch
    /// Nil where an earlier version wrote it.
    package let trigger: SignOutTrigger?
    /// Nobody had signed in.
    package let isAttempt: Bool
    /// The apps that erase a worker's data themselves, and what each has said of it.
    package var apps: [String: Eraser]

    /// What an app has said of its eraser.
    package enum Eraser: String, Sendable, Hashable, CaseIterable { case awaited, done, failed }

    package init(ended: Epoch, next: Epoch, trigger: SignOutTrigger?, isAttempt: Bool, apps: [String: Eraser] = [:]) {
        self.ended = ended
        self.next = next
        self.trigger = trigger
        self.isAttempt = isAttempt
        self.apps = apps
    }

    /// The apps that have not erased, in order.
    package var unerased: [String] { apps.filter { $0.value != .done }.keys.sorted() }
}
