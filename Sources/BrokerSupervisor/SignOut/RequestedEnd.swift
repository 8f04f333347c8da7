// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import DeviceSettings
internal import SessionIPC

/// Owns the wait between the request to end a session and the session's end. Apps may save their work in that time. The
/// requesters are answered after the end.
final class RequestedEnd {
    private var requesters: SignOutRequesters
    /// The apps that have unsaved work.
    private(set) var unsaved = UnsavedWork()
    private let clock: SupervisorClock
    private let timer: InputTimer
    private let tell: (SupervisorMessage) -> Void

    /// - Parameter tell: sends a message to the session process.
    init(clock: SupervisorClock, timer: InputTimer, tell: @escaping (SupervisorMessage) -> Void) {
        requesters = SignOutRequesters(timer: timer)
        (self.clock, self.timer, self.tell) = (clock, timer, tell)
    }

    // MARK: - Requesters

    /// Adds a requester who waits for the end of this epoch's session. The requester is answered once: when the device
    /// is ready, or after `patience`. The time in which an app saves its work does not count, since nothing is
    /// committed yet.
    func add(
        _ epoch: Epoch?, _ policy: SessionPolicy, patience: Duration?, answer: @escaping (SignOutOutcome) -> Void
    ) -> SessionMachine.Requester {
        let isUnsaved = epoch.map { !unsaved.apps(in: $0).isEmpty } ?? false
        let save = Duration.milliseconds(isUnsaved ? policy.unsavedWorkPatience : 0)
        return requesters.add(patience: patience.map { $0 + save }, answer: answer)
    }

    func answer(_ waiting: [SessionMachine.Requester]) { requesters.answer(waiting) }

    func overdue(_ requester: SessionMachine.Requester) { requesters.overdue(requester) }

    // MARK: - Apps

    /// Tells the apps of this epoch that the epoch is about to end, and starts the grace period in which they can save.
    /// If an app has unsaved work, the end waits longer.
    ///
    /// - Parameter prepare: loads the next session process, while the apps save.
    func announce(_ epoch: Epoch, _ policy: SessionPolicy, then prepare: () throws -> Void) rethrows {
        let grace = policy.willEndPatience
        let patience = unsaved.apps(in: epoch).isEmpty ? grace : max(grace, policy.unsavedWorkPatience)
        tell(.willEnd(epoch: epoch, milliseconds: patience))
        timer.post(.graceExpired(epoch), after: .milliseconds(grace))
        if patience > grace {
            unsaved.announce(epoch, until: clock.sinceBoot() + .milliseconds(patience))
            timer.post(.unsavedWorkOverdue(epoch), after: .milliseconds(patience))
        }
        try prepare()
    }

    /// Handles the end of the grace period of the apps without unsaved work.
    ///
    /// - Returns: whether an announced end of this epoch takes place now.
    func graceExpired(_ epoch: Epoch) -> Bool { unsaved.graceExpired(epoch) }

    /// Records that exactly these apps have unsaved work.
    ///
    /// - Returns: whether an announced end of this epoch takes place now.
    func report(_ apps: [String], in epoch: Epoch) -> Bool { unsaved.report(apps, in: epoch) }

    /// Forgets what apps have reported, because their connections have ended with their session process.
    func forgetApps() { unsaved = UnsavedWork() }
}
