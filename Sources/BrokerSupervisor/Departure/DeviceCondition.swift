// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC

/// The facts that decide which commands an operator may run now to change the device's registrations.
package struct DeviceCondition: Sendable, Hashable {
    /// Why the device is quarantined.
    package enum Quarantine: Sendable, Hashable, CaseIterable {
        /// The damaged state can be moved aside.
        case recoverable
        /// The state is intact, but a later version wrote it.
        case newerFormat
    }

    package var quarantine: Quarantine?
    package var isJoined: Bool
    package var isEnrolled: Bool
    /// The departure that has been ordered and is not finished; nil if there is none.
    package var departure: Departure.Kind?

    package init(quarantine: Quarantine?, isJoined: Bool, isEnrolled: Bool, departure: Departure.Kind?) {
        (self.quarantine, self.isJoined, self.isEnrolled, self.departure) = (
            quarantine, isJoined, isEnrolled, departure
        )
    }

    /// The commands that change the device's registrations.
    package enum Command: Sendable, Hashable, CaseIterable {
        case enroll, unenroll, join, leave, reset, recover
    }

    /// Why a command is refused; nil if it may begin.
    package func refusal(of command: Command) -> OperatorFailure? {
        switch (quarantine, command) {
        case (.recoverable, .recover), (.recoverable, .reset): return nil
        // The caller adds the reason, which is not known here.
        case (.some, _): return .quarantined
        case (nil, .recover): return .notQuarantined
        case (nil, _): break
        }
        switch command {
        case .reset: return nil
        case .leave where departure == nil: return isJoined ? nil : .notJoined
        // The reset that has been ordered includes leaving.
        case .leave: return nil
        case .join, .enroll, .unenroll: break
        case .recover: return .notQuarantined
        }
        if departure != nil { return .leaving }
        switch command {
        case .join: return isJoined ? .alreadyJoined : nil
        // The MDM agent decides, because it may accept a different profile from the same server.
        default: return nil
        }
    }
}

extension OperatorFailure {
    static let quarantined = OperatorFailure(
        code: "quarantined", message: "The device is quarantined: its state cannot be trusted.",
        remedy: "Look at: baton device status.")
    static let notQuarantined = OperatorFailure(
        code: "not_quarantined", message: "The device's state is in order: there is nothing to recover.",
        remedy: "To sign a worker out run: baton account sign-out. To leave the directory run: baton device leave.")
    static let notJoined = OperatorFailure(
        code: "not_joined", message: "The device is not joined to a directory.",
        remedy: "To join one run: baton device join. To erase everything else, too, run: baton device reset.")
    static let alreadyJoined = OperatorFailure(
        code: "already_joined", message: "The device is joined to a directory already.",
        remedy: "Run: baton device leave, then join again.")
    static let leaving = OperatorFailure(
        code: "device_leaving", message: "The device is leaving its directory.",
        remedy: "It continues by itself; to see what is pending run: baton device status.")
    static let leaveUnfinished = OperatorFailure(
        code: "leave_unfinished",
        message: "The device does not leave before the traces of the last worker are cleared.",
        remedy: "To see what is pending run: baton device status. It continues by itself.")
}
