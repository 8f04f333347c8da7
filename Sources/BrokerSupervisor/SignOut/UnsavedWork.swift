// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol

/// The apps that have reported unsaved work, and how long an announced end waits for them.
struct UnsavedWork {
    /// An announced end of the session.
    private struct Ending {
        let epoch: Epoch
        /// When the session ends even if apps have not saved their work, as the time since the machine's start.
        let end: Duration
        /// Whether the grace period of the apps without unsaved work is over.
        var isGraceOver = false
    }

    /// The apps' bundle ids.
    private var apps: [String] = []
    private var epoch: Epoch?
    private var ending: Ending?

    /// Replaces the reported apps.
    ///
    /// - Returns: whether an announced end waited only for apps that have now saved.
    mutating func report(_ apps: [String], in epoch: Epoch) -> Bool {
        (self.apps, self.epoch) = (apps, epoch)
        return ending?.isGraceOver == true && !holds(epoch)
    }

    /// The apps with unsaved work in this epoch.
    func apps(in epoch: Epoch) -> [String] { self.epoch == epoch ? apps : [] }

    /// Records that the end of this epoch was announced, and that it waits for unsaved work until `end`.
    mutating func announce(_ epoch: Epoch, until end: Duration) { ending = Ending(epoch: epoch, end: end) }

    /// Records that the grace period of the apps without unsaved work is over.
    ///
    /// - Returns: whether the session ends now.
    mutating func graceExpired(_ epoch: Epoch) -> Bool {
        guard holds(epoch) else { return true }
        ending?.isGraceOver = true
        return false
    }

    /// When the announced end of this epoch takes place even if apps have not saved their work; nil if that end waits
    /// for no app.
    func end(of epoch: Epoch) -> Duration? { holds(epoch) ? ending?.end : nil }

    /// Whether the announced end of this epoch waits for unsaved work.
    private func holds(_ epoch: Epoch) -> Bool { ending?.epoch == epoch && !apps(in: epoch).isEmpty }
}
