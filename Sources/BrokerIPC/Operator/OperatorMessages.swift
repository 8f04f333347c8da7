// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol

/// What the command line asks of the device, on a socket that only the device's own user and root may open.
package enum OperatorRequest: Sendable, Codable, Equatable {
    case status
    /// Install an enrollment profile: its bytes, base64.
    case enroll(profile: String)
    /// Leave the MDM, with everything that it brought.
    case unenroll
    /// Fetch what the MDM has for the device, now.
    case checkIn
    /// Read the device's own registry of apps anew.
    case reload
    /// Register the device in a directory; answered when the administrator has finished in the browser.
    case join(JoinOrder)
    /// Sign the worker out, whoever it is.
    case signOut(fromBrowser: Bool)
    /// Leave the directory: the join ends here and, where it can be reached, there.
    case leave
    /// Give up everything that came with a join, an enrollment or a worker.
    case reset
    /// Leave the quarantine: move aside what is not believed, and begin as a device that has not joined.
    case recover
    /// Look at everything that may be wrong.
    case examine
    /// Something happened to the device after which nobody is at it any more.
    case seat(SeatEvent)
    /// Let the worker who is signed in set a PIN for offline sign-in, on a page in the session's browser; answered when they
    /// have.
    case setPIN

    private enum JoinCodingKeys: String, CodingKey { case _0 = "order" }
    private enum SeatCodingKeys: String, CodingKey { case _0 = "event" }
}

/// What the device's hardware tells by a command hook.
package enum SeatEvent: String, Sendable, Codable, CaseIterable {
    /// It was put on its charger.
    case charger
    /// It was put into, or taken out of, its dock.
    case dock
    /// Its seat, cart or card reader says that the worker has left.
    case seat
}

/// The one answer to an ``OperatorRequest``.
package enum OperatorReply: Sendable, Codable, Equatable {
    case done
    case status(DeviceStatus)
    case diagnosis(Diagnosis)
    case joined(deviceID: String, tenantID: String)
    /// The device has left its directory, or was reset; the registration that it had, if any, and whether the directory knows.
    case left(deviceID: String?, isDirectoryTold: Bool)
    /// What became of the MDM's commands; it keeps those for later.
    case checkedIn(done: Int, failed: Int, later: Int)
    case failed(OperatorFailure)

    private enum StatusCodingKeys: String, CodingKey { case _0 = "device" }
    private enum DiagnosisCodingKeys: String, CodingKey { case _0 = "report" }
    private enum FailedCodingKeys: String, CodingKey { case _0 = "failure" }
}

/// Why an operator's request was not carried out.
package struct OperatorFailure: Error, Sendable, Codable, Equatable {
    /// Stable, for programs.
    package let code: String
    /// What happened.
    package let message: String
    /// What to do about it.
    package let remedy: String

    package init(code: String, message: String, remedy: String) {
        self.code = code
        self.message = message
        self.remedy = remedy
    }
}

/// What an operator asks for with `baton device join`.
package struct JoinOrder: Sendable, Codable, Equatable {
    /// `https://<host>[:<port>]` of the identity platform.
    package let loginURL: String
    /// `https://<host>[:<port>]` of the device registration service.
    package let registrationURL: String
    /// A tenant id, or a domain of the tenant.
    package let tenant: String
    package let deviceName: String

    package init(loginURL: String, registrationURL: String, tenant: String, deviceName: String) {
        self.loginURL = loginURL
        self.registrationURL = registrationURL
        self.tenant = tenant
        self.deviceName = deviceName
    }
}

/// The device as an operator sees it; nothing of a worker.
///
/// It has more than 15 members because its JSON, which `baton device status --json` prints, is flat: one for each line.
package struct DeviceStatus: Sendable, Codable, Equatable {
    /// `ready`, `signingIn`, `joining`, `signedIn`, `ending` (announced to the apps), `signingOut`, or `quarantined` where
    /// the state is not believed.
    package let session: String
    /// What still has to be cleared while signing out.
    package let pending: [String]
    /// Nil on a quarantined device.
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
    /// The process of the agent that is connected and its user, as the kernel names them.
    package let agentPID: Int32?
    package let agentUser: UInt32?
    /// Why a sign-out does not go on, each with a remedy.
    package let problems: [String]
    /// Bundle ids of the apps that have not erased a former worker's data; they do nothing until they have.
    package let lockedApps: [String]
    /// When a chain of receipts was found damaged, in seconds since 1970; nil where none was, or what was moved aside is gone.
    package let receiptsDamagedAt: Int?
    /// What protects the device's own keys: `files`, `tpm`, `partly` where a TPM has some of them; nil where there are none.
    package let keys: String?
    /// Who had as many connections as there may be within the last ten minutes; nil where nobody had.
    package let connectionLimits: [ConnectionLimitReport]?
    /// What the identity platform last said of the registration; nil if the device has not joined, or has not found out yet.
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
