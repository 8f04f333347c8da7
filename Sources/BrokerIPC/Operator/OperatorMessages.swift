// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol

/// The command line's requests to the device, on a socket to which only the broker's user and root may connect.
package enum OperatorRequest: Sendable, Codable, Equatable {
    case status
    /// Install an enrollment profile, given as base64.
    case enroll(profile: String)
    /// Leave the MDM and remove everything that it installed.
    case unenroll
    /// Fetch the MDM's commands for the device now.
    case checkIn
    /// Read the device's own registry of apps again.
    case reload
    /// Register the device in a directory. The answer is sent when the administrator has finished in the browser.
    case join(JoinOrder)
    /// Sign out the current worker.
    case signOut(fromBrowser: Bool)
    /// Leave the directory: remove the join from the device and, if the directory can be reached, from the directory.
    case leave
    /// Remove everything that came with a join, an enrollment or a worker.
    case reset
    /// Leave the quarantine: move the untrusted state aside, and start as a device that has not joined.
    case recover
    /// Run all checks of `baton doctor`.
    case examine
    /// An event of the device that ends the session.
    case seat(SeatEvent)
    /// Let the signed-in worker set a PIN for offline sign-in, on a page in the session's browser. The answer is sent
    /// when the worker has finished.
    case setPIN
    /// Report what the broker has counted.
    case metrics
    /// Unlock an app after the operator has removed the former worker's data.
    case unlock(app: String)

    private enum JoinCodingKeys: String, CodingKey { case _0 = "order" }
    private enum SeatCodingKeys: String, CodingKey { case _0 = "event" }
}

/// An event that the device's hardware reports through a command hook.
package enum SeatEvent: String, Sendable, Codable, CaseIterable {
    /// The device was put on its charger.
    case charger
    /// The device was put into its dock, or taken out.
    case dock
    /// The seat, cart or card reader reports that the worker has left.
    case seat
}

/// The answer to an ``OperatorRequest``.
package enum OperatorReply: Sendable, Codable, Equatable {
    case done
    case status(DeviceStatus)
    case diagnosis(Diagnosis)
    case joined(deviceID: String, tenantID: String)
    /// The device has left its directory or was reset. The values are the device's former registration, if any, and
    /// whether the directory no longer lists the device.
    case left(deviceID: String?, isDirectoryTold: Bool)
    /// How many of the MDM's commands succeeded, failed, or were left with the MDM for a later check-in.
    case checkedIn(done: Int, failed: Int, later: Int)
    case metrics(DeviceMetrics)
    case failed(OperatorFailure)

    private enum StatusCodingKeys: String, CodingKey { case _0 = "device" }
    private enum DiagnosisCodingKeys: String, CodingKey { case _0 = "report" }
    private enum MetricsCodingKeys: String, CodingKey { case _0 = "counts" }
    private enum FailedCodingKeys: String, CodingKey { case _0 = "failure" }
}

/// Why an operator's request was not carried out.
package struct OperatorFailure: Error, Sendable, Codable, Equatable {
    /// A stable code, for programs.
    package let code: String
    /// The cause.
    package let message: String
    package let remedy: String

    package init(code: String, message: String, remedy: String) {
        self.code = code
        self.message = message
        self.remedy = remedy
    }
}

/// The parameters of `baton device join`.
package struct JoinOrder: Sendable, Codable, Equatable {
    /// `https://<host>[:<port>]` of the identity platform.
    package let loginURL: String
    /// `https://<host>[:<port>]` of the device registration service.
    package let registrationURL: String
    /// The tenant's id or one of its domains.
    package let tenant: String
    package let deviceName: String

    package init(loginURL: String, registrationURL: String, tenant: String, deviceName: String) {
        self.loginURL = loginURL
        self.registrationURL = registrationURL
        self.tenant = tenant
        self.deviceName = deviceName
    }
}

/// The device's status for an operator. Contains no data about a worker.
///
/// It has more than 15 members because `baton device status --json` prints it as flat JSON, with one member per line.
package struct DeviceStatus: Sendable, Codable, Equatable {
    /// `ready`, `signingIn`, `joining`, `signedIn`, `ending` (announced to the apps), `signingOut`, or `quarantined` if
    /// the state is not trusted.
    package let session: String
    /// The items that a sign-out must still clear.
    package let pending: [String]
    /// The current epoch; nil on a quarantined device.
    package let epoch: Epoch?
    /// `shared`, `personal`, `incomplete` or `quarantined`.
    package let mode: String
    /// A stable code for the mode.
    package let reason: String
    package let remedy: String?
    package let enrolled: Bool
    package let tenantID: String?
    package let deviceID: String?
    /// Bundle ids of the apps that may ask for accounts.
    package let apps: [String]
    package let agentConnected: Bool
    /// The process and the user of the connected agent, according to the kernel.
    package let agentPID: Int32?
    package let agentUser: UInt32?
    /// The reasons why a sign-out does not finish, each with a remedy.
    package let problems: [String]
    /// Bundle ids of the locked apps: those that have not erased a former worker's data.
    package let lockedApps: [String]
    /// When a damaged chain of receipts was last found, in seconds since 1970; nil if none was found, or if the damaged
    /// chain was removed.
    package let receiptsDamagedAt: Int?
    /// Where the device's own keys are stored: `files`, `tpm`, or `partly` if a TPM holds some of them; nil if there
    /// are no keys.
    package let keys: String?
    /// The apps that reached a connection limit within the last ten minutes; nil if none did.
    package let connectionLimits: [ConnectionLimitReport]?
    /// The identity platform's last answer about the registration; nil if the device has not joined or has not asked
    /// yet.
    package let registration: RegistrationStatus?

    package init(
        session: String, pending: [String], epoch: Epoch?, mode: String, reason: String, remedy: String?,
        enrolled: Bool, tenantID: String?, deviceID: String?, apps: [String], agentConnected: Bool,
        agentPID: Int32? = nil, agentUser: UInt32? = nil, problems: [String] = [], lockedApps: [String] = [],
        receiptsDamagedAt: Int? = nil, keys: String? = nil, connectionLimits: [ConnectionLimitReport] = [],
        registration: RegistrationStatus? = nil
    ) {
        self.session = session
        self.pending = pending
        self.epoch = epoch
        self.mode = mode
        self.reason = reason
        self.remedy = remedy
        self.enrolled = enrolled
        self.tenantID = tenantID
        self.deviceID = deviceID
        self.apps = apps
        self.agentConnected = agentConnected
        self.agentPID = agentPID
        self.agentUser = agentUser
        self.problems = problems
        self.lockedApps = lockedApps
        self.receiptsDamagedAt = receiptsDamagedAt
        self.keys = keys
        self.connectionLimits = connectionLimits.isEmpty ? nil : connectionLimits
        self.registration = registration
    }
}
