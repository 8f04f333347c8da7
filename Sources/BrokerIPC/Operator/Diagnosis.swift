// SPDX-License-Identifier: Apache-2.0

/// The broker's answer to ``OperatorRequest/examine``: what it found, and what it refused of late.
package struct Diagnosis: Sendable, Codable, Equatable {
    package let status: DeviceStatus
    /// What would take the device out of the state that it is in.
    package let movers: [String]
    package let findings: [CheckResult]
    /// The oldest first.
    package let refusals: [RefusalRecord]
    /// Refusals that came too fast to be written down one by one.
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

/// Why an app was refused, or why a person was asked to sign in; it holds nothing of any worker.
package struct RefusalRecord: Sendable, Codable, Equatable {
    package enum Kind: String, Sendable, Codable { case refused, prompted }

    package let kind: Kind
    /// Seconds since 1970, of the first one.
    package let time: Int
    /// How often in a row.
    package var count: Int
    /// The operation, where the broker knows it.
    package let operation: String?
    /// The number that the app was told; nil for a prompt.
    package let code: Int?
    /// Baton's own word, where there is one.
    package let reason: String?
    /// The level of the app's identity.
    package let level: String
    /// The app, where its identity tells it from others.
    package let app: String?
    /// The client id that was asked for, where it is registered.
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

    /// Whether `other` says the same but for time and count.
    package func repeats(_ other: RefusalRecord) -> Bool {
        kind == other.kind && operation == other.operation && code == other.code && reason == other.reason
            && level == other.level && app == other.app && clientID == other.clientID
    }
}
