// SPDX-License-Identifier: Apache-2.0

/// The broker's answer to ``OperatorRequest/examine``: its findings and its recent refusals.
package struct Diagnosis: Sendable, Codable, Equatable {
    package let status: DeviceStatus
    /// The events that would change the device's state, one sentence each.
    package let movers: [String]
    package let findings: [CheckResult]
    /// The recent refusals, oldest first.
    package let refusals: [RefusalRecord]
    /// The number of refusals that came too fast to be recorded one by one.
    package let unlisted: Int

    package init(
        status: DeviceStatus, movers: [String], findings: [CheckResult], refusals: [RefusalRecord], unlisted: Int
    ) {
        self.status = status
        self.movers = movers
        self.findings = findings
        self.refusals = refusals
        self.unlisted = unlisted
    }
}

/// Why an app was refused, or why a person was asked to sign in. Contains no data about a worker.
package struct RefusalRecord: Sendable, Codable, Equatable {
    package enum Kind: String, Sendable, Codable { case refused, prompted }

    package let kind: Kind
    /// The time of the first occurrence, in seconds since 1970.
    package let time: Int
    /// The number of occurrences in a row.
    package var count: Int
    /// The operation, if the broker knows it.
    package let operation: String?
    /// The error number that the app received; nil for a prompt.
    package let code: Int?
    /// Baton's own reason code, if there is one.
    package let reason: String?
    /// The level of the app's identity.
    package let level: String
    /// The app, if its identity distinguishes it from other apps.
    package let app: String?
    /// The requested client id, if it is registered.
    package let clientID: String?

    package init(
        kind: Kind, time: Int, operation: String?, code: Int?, reason: String?, level: String, app: String?,
        clientID: String?
    ) {
        self.kind = kind
        self.time = time
        count = 1
        self.operation = operation
        self.code = code
        self.reason = reason
        self.level = level
        self.app = app
        self.clientID = clientID
    }

    /// Whether `other` is equal except for time and count.
    package func repeats(_ other: RefusalRecord) -> Bool {
        kind == other.kind && operation == other.operation && code == other.code && reason == other.reason
            && level == other.level && app == other.app && clientID == other.clientID
    }
}
