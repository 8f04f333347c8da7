// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import Processes

/// Owns the restart that an upgrade asks for, so that the installed program starts.
///
/// A restart ends a sign-in that has begun, and closes the worker's browser. It therefore waits until nobody holds the
/// device, for ``patience`` at most.
final class PendingRestart {
    /// When the restart takes place at the latest, in seconds since 1970; nil if nobody has asked for a restart.
    private(set) var deadline: Int?
    private var isOverdue = false

    /// How long the restart waits for the end of a session: longer than a shift.
    static let patience = Duration.seconds(12 * 60 * 60)

    /// Asks for the restart. Does nothing if it was asked for before.
    func ask(_ timer: InputTimer) {
        guard deadline == nil else { return }
        deadline = timer.clock.now() + Int(Self.patience.components.seconds)
        timer.post(.restartOverdue, after: Self.patience)
    }

    /// Makes the restart wait for nothing from now on.
    func overdue() { isOverdue = true }

    /// Whether the broker must end now.
    func isDue(in state: SessionMachine.State) -> Bool {
        guard deadline != nil else { return false }
        return isOverdue || state == .ready
    }

    /// The finding for `baton doctor`; nil if the running program is the installed one.
    ///
    /// - Parameter isReplaced: whether the file of the running program was replaced.
    func finding(isReplaced: Bool, now: Int) -> CheckResult? {
        if let deadline {
            let minutes = max(0, (deadline - now + 59) / 60)
            return CheckResult(
                .host, .note, code: "broker_restart_waits",
                message: "An upgrade waits for the end of the session: the broker restarts then, or in "
                    + "\(minutes / 60) h \(minutes % 60) min.",
                remedy: "To restart at once, which closes the worker's browser, run: systemctl restart batond.")
        }
        guard isReplaced else { return nil }
        return CheckResult(
            .host, .warning, code: "broker_replaced",
            message: "The installed batond is not the program that runs: an upgrade was not completed.",
            remedy: "Run: dpkg --configure -a, then: apt-get --fix-broken install. If no upgrade has begun, run: "
                + "systemctl reload batond.")
    }
}
