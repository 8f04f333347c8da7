// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol

/// Why an enrollment or a check-in with the server did not succeed.
package struct EnrollmentError: Error, Equatable, CustomStringConvertible {
    /// Stable reasons.
    package enum Code: String, Sendable {
        case profileRefused = "mdm_profile_refused"
        case identityRefused = "mdm_identity_refused"
        case alreadyEnrolled = "mdm_already_enrolled"
        case notEnrolled = "mdm_not_enrolled"
        /// The server does not know the device, or no longer knows it.
        case unrecognized = "mdm_unrecognized"
        /// The server refused, or its answer violates the protocol.
        case serverRefused = "mdm_server_refused"
        /// The server refuses to enroll the device with this profile.
        case turnedAway = "mdm_turned_away"
        /// The server failed temporarily.
        case serverFailed = "mdm_server_failed"
        case unreachable = "mdm_unreachable"
        /// The device's own files cannot be written.
        case storage = "mdm_storage"
        case stopped = "mdm_stopped"
    }

    package let code: Code
    package let detail: String

    init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    /// Errors are equal when their codes are.
    package static func == (left: EnrollmentError, right: EnrollmentError) -> Bool { left.code == right.code }

    package var description: String { "\(code.rawValue): \(detail)" }

    var operatorFailure: OperatorFailure {
        OperatorFailure(code: code.rawValue, message: detail, remedy: remedy)
    }

    private var remedy: String {
        switch code {
        case .profileRefused: "Have the management server make the enrollment profile again."
        case .identityRefused: "Have the management server make a new enrollment profile; each works once."
        case .alreadyEnrolled: "Run: baton device unenroll, then enroll again."
        case .notEnrolled: "Run: baton device enroll with the profile that the server made."
        case .unrecognized: "Enroll the device again with a new profile."
        case .serverRefused: "Look into the management server's log."
        case .turnedAway:
            "Have the server make a new profile; if it still lists the device, remove the device there first."
        case .serverFailed: "Look into the management server's log, and try again."
        case .unreachable: "Check that the management server runs and that its certificate is trusted."
        case .storage:
            "Check that the broker's user can read trustRoots, and that the state folder has room and belongs to it."
        case .stopped: "Try again when the broker runs."
        }
    }
}
