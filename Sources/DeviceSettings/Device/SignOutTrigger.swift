// SPDX-License-Identifier: Apache-2.0

/// Why a session ended. The journal, the receipt and the log contain it. Clean-up is the same for every trigger.
package enum SignOutTrigger: String, Sendable, Hashable, CaseIterable {
    case app
    /// There was no activity for the idle time.
    case idle
    case shiftEnd = "shift-end"
    case charger, dock, seat
    /// An operator ended the session on the command line, or an administrator's sign-in ended.
    case `operator`
    /// The device is no longer shared: the profile or the app configuration has changed.
    case management
    /// The server reported that the session has ended.
    case serverRevocation = "server-revocation"
    case deviceDisabled = "device-disabled"
    /// The offline lease of the sign-in has expired, or the server has revoked it.
    case offlineLease = "offline-lease"
    /// The directory no longer contains the device.
    case deviceRemoved = "device-removed"
    /// The sign-in failed.
    case attemptFailed = "attempt-failed"
    /// The session process died too often, or during a sign-in.
    case processLost = "process-lost"
    case supervisorLost = "supervisor-lost"

    /// Whether apps are notified before the commit and get time to save work. A trigger from the organisation or from a
    /// fault ends the session at once.
    package var isGraceful: Bool {
        switch self {
        case .app, .idle, .shiftEnd, .charger, .dock, .seat, .operator: true
        case .management, .serverRevocation, .deviceDisabled, .deviceRemoved, .offlineLease, .attemptFailed,
            .processLost, .supervisorLost:
            false
        }
    }
}
