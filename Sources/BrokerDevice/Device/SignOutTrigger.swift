// SPDX-License-Identifier: Apache-2.0

/// Why a session ended; the journal, the receipt and the log name it. Clean-up is the same for every trigger.
package enum SignOutTrigger: String, Sendable, Hashable, CaseIterable {
    case app
    /// Nobody used the device for the idle time.
    case idle
    case shiftEnd = "shift-end"
    case charger, dock, seat
    /// The command line, or the end of an administrator's sign-in.
    case `operator`
    /// The device is not shared any more: profile or app configuration say so no longer.
    case management
    /// The server says that the session has ended.
    case serverRevocation = "server-revocation"
    case deviceDisabled = "device-disabled"
    /// The lease is over by which the worker had signed in without the server: by its end, or by the server's word.
    case offlineLease = "offline-lease"
    /// The directory does not know the device any more.
    case deviceRemoved = "device-removed"
    /// The sign-in came to nothing.
    case attemptFailed = "attempt-failed"
    /// The session process died too often, or while somebody signed in.
    case processLost = "process-lost"
    case supervisorLost = "supervisor-lost"

    /// Whether apps are told before the end is committed, and may save. What the organisation or a fault ends, ends at once.
    package var isGraceful: Bool {
        switch self {
        case .app, .idle, .shiftEnd, .charger, .dock, .seat, .operator: true
        case .management, .serverRevocation, .deviceDisabled, .deviceRemoved, .offlineLease, .attemptFailed,
            .processLost, .supervisorLost:
            false
        }
    }
}
