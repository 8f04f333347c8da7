// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol
package import DeviceSettings

/// The end of an epoch as committed to the journal. A committed end is never undone.
package struct Commit: Sendable, Hashable {
    package let ended: Epoch
    /// The epoch that replaces the ended epoch.
    package let next: Epoch
    /// Why the epoch ended; nil if an earlier version wrote the journal.
    package let trigger: SignOutTrigger?
    /// Whether nobody had signed in.
    package let isAttempt: Bool
    /// The erasers of the apps that erase a worker's data themselves, and the answer of each.
    package var erasers: [AppEraser: Answer]
    /// The apps that keep data in folders of their own and were given data of the worker.
    package let dataHolders: Set<String>

    /// An eraser's answer.
    package enum Answer: String, Sendable, Hashable, CaseIterable { case awaited, done, failed }

    package init(
        ended: Epoch, next: Epoch, trigger: SignOutTrigger?, isAttempt: Bool, erasers: [AppEraser: Answer] = [:],
        dataHolders: Set<String> = []
    ) {
        self.ended = ended
        self.next = next
        self.trigger = trigger
        self.isAttempt = isAttempt
        self.erasers = erasers
        self.dataHolders = dataHolders
    }

    /// The erasers that have not erased their data, sorted.
    package var unerased: [AppEraser] { erasers.filter { $0.value != .done }.keys.sorted() }

    /// Whether an eraser outside `gone` has not answered. The processes of every eraser in `gone` have all ended.
    func awaitsEraser(besides gone: Set<AppEraser>) -> Bool {
        erasers.contains { $0.value == .awaited && !gone.contains($0.key) }
    }

    /// The apps that have erased all their data.
    package var erased: Set<String> { Set(apps.filter { $0.value == .done }.keys) }

    /// The answer of each app: the worst of its erasers' answers.
    package var apps: [String: Answer] {
        Dictionary(erasers.map { ($0.key.bundleID, $0.value) }) { max($0, $1) }
    }
}

extension Commit.Answer: Comparable {
    /// From the best to the worst: an app that has reported a failure is known to have kept data.
    private static let order: [Self] = [.done, .awaited, .failed]
    private var rank: Int { Self.order.firstIndex(of: self) ?? Self.order.count }

    package static func < (first: Self, second: Self) -> Bool { first.rank < second.rank }
}
