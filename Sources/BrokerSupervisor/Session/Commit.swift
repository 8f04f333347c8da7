// SPDX-License-Identifier: Apache-2.0
package import BrokerDevice
package import BrokerProtocol

/// The end of an epoch as committed to the journal. A committed end is never undone.
package struct Commit: Sendable, Hashable {
    package let ended: Epoch
    /// The epoch that replaces the ended epoch.
    package let next: Epoch
    /// Why the epoch ended; nil if an earlier version wrote the journal.
    package let trigger: SignOutTrigger?
    /// Whether nobody had signed in.
    package let isAttempt: Bool
    /// The apps that erase a worker's data themselves, and each app's answer.
    package var apps: [String: Eraser]

    /// An app's answer about its eraser.
    package enum Eraser: String, Sendable, Hashable, CaseIterable { case awaited, done, failed }

    package init(ended: Epoch, next: Epoch, trigger: SignOutTrigger?, isAttempt: Bool, apps: [String: Eraser] = [:]) {
        self.ended = ended
        self.next = next
        self.trigger = trigger
        self.isAttempt = isAttempt
        self.apps = apps
    }

    /// The apps that have not erased their data, sorted.
    package var unerased: [String] { apps.filter { $0.value != .done }.keys.sorted() }
}
