// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials

/// The identity platform's last answer about this device's registration, and its time.
package struct RegistrationStatus: Sendable, Codable, Equatable {
    package enum State: String, Sendable, Codable, CaseIterable {
        /// The directory lists the device, and it is enabled.
        case good
        case disabled
        /// The directory no longer lists the device.
        case removed
        /// The identity platform does not serve the organisation.
        case tenantUnknown = "tenant_unknown"
        /// The device is joined to one organisation and managed by another.
        case otherTenant = "other_tenant"
    }

    /// The id of the registered device.
    package let deviceID: String
    package let tenantID: String
    package let state: State
    /// Seconds since 1970, by this device's clock.
    package let learnedAt: Int
    /// Seconds by which this device's clock is ahead of the server's (negative: behind); 0 if they differ by at most
    /// ``tolerance``, nil if the server sent no time.
    package let clockAhead: Int?

    /// Seconds by which two clocks may differ before tokens and requests count as stale.
    package static let tolerance = 300

    package init(deviceID: String, tenantID: String, state: State, learnedAt: Int, clockAhead: Int?) {
        self.deviceID = deviceID
        self.tenantID = tenantID
        self.state = state
        self.learnedAt = learnedAt
        self.clockAhead = clockAhead.map { abs($0) > Self.tolerance ? $0 : 0 }
    }

    /// Whether the identity platform serves the device and the clocks agree.
    package var isHealthy: Bool { state == .good && (clockAhead ?? 0) == 0 }

    /// Whether `other` has the same content, regardless of its time. Clock differences that vary only slightly count as
    /// the same.
    package func repeats(_ other: RegistrationStatus) -> Bool {
        deviceID == other.deviceID && tenantID == other.tenantID && state == other.state
            && abs((clockAhead ?? 0) - (other.clockAhead ?? 0)) < 10
    }

    /// The findings about the registration and the clock, for `baton doctor`.
    package var findings: [CheckResult] { [finding] + (clockFinding.map { [$0] } ?? []) }

    /// The beginning of the code of the finding about the registration; the rest of the code is the state.
    package static let findingPrefix = "registration_"

    private var finding: CheckResult {
        let remedy = remedyOfState
        let verdict: CheckResult.Verdict = state == .good ? .good : .bad
        return CheckResult(
            .server, verdict, code: Self.findingPrefix + state.rawValue, message: "\(stateMessage) (\(learned)).",
            remedy: remedy)
    }

    private var clockFinding: CheckResult? {
        guard let clockAhead, clockAhead != 0 else { return nil }
        return CheckResult(
            .clock, .bad, code: "clock_wrong", message: "\(clockMessage(clockAhead)) (\(learned)).",
            remedy: Self.clockRemedy)
    }

    /// Why the device is not healthy, one sentence for each reason; empty if the device is healthy.
    package var problems: [String] {
        findings.filter { $0.verdict == .bad }.map(\.message)
    }

    /// The operator's next step; nil if the device is healthy.
    package var remedy: String? {
        remedyOfState ?? (isHealthy ? nil : Self.clockRemedy)
    }

    private static let clockRemedy = "Correct the clock that is wrong."

    private func clockMessage(_ ahead: Int) -> String {
        "The device's clock is \(abs(ahead)) seconds \(ahead > 0 ? "ahead of" : "behind") the identity platform's"
    }

    private var learned: String {
        "learned at \(Date(timeIntervalSince1970: Double(learnedAt)).formatted(.iso8601))"
    }

    private var stateMessage: String {
        switch state {
        case .good: "The directory lists the device, and it is enabled"
        case .disabled: "The directory has disabled the device: nobody can sign in"
        case .removed: "The directory does not list the device any more: nobody can sign in"
        case .tenantUnknown:
            "The identity platform does not serve the organisation \(tenantID) that the device is joined to"
        case .otherTenant:
            "The device is joined to the organisation \(tenantID), and the MDM that manages it belongs to another one"
        }
    }

    private var remedyOfState: String? {
        switch state {
        case .good: nil
        case .disabled: "On the server run: baton admin device enable \(deviceID). The device notices it by itself."
        case .removed, .tenantUnknown, .otherTenant: "Run: baton device leave, then: baton device join."
        }
    }
}
