// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerSupervisor
import DeviceSettings
import Files
import MDMProtocol
import Processes
import SessionIPC
import TestSupport
import Testing

/// The session policy that an MDM sets in the broker's app configuration.
@Suite(.timeLimit(.minutes(10))) struct SessionPolicyOverrideTests {
    private func wishes(_ sessionPolicy: [String: PropertyList]) throws(SessionPolicyError) -> SessionPolicyOverride {
        try SessionPolicyOverride(configuration: [
            "sharedDeviceMode": true, "sessionPolicy": .dictionary(sessionPolicy),
        ])
    }

    private func followed(_ sessionPolicy: [String: PropertyList], base: SessionPolicy = .standard) -> (
        sessionPolicy: SessionPolicy, refusal: SessionPolicyError?
    ) {
        var settings = ManagedSettings(
            enrolled: true, brokerManaged: true, profileShared: true, appConfigurationShared: true, apps: [])
        do throws(SessionPolicyError) { settings.sessionPolicy = try wishes(sessionPolicy) } catch {
            settings.sessionPolicyError = error
        }
        return base.followed(settings)
    }

    @Test func `values from the MDM apply, and the device's own values fill the rest`() {
        let base = SessionPolicy(
            timeouts: SessionTimeouts(idle: 600, idleWarning: 30, shiftLength: 3600, shiftEnds: [60]),
            willEndPatience: 1,
            eraserPatience: 2)
        let (sessionPolicy, refusal) = followed(
            ["idle": 300, "shiftEnds": ["06:00", "14:30"], "erasers": 4000], base: base)
        #expect(refusal == nil)
        #expect(
            sessionPolicy
                == SessionPolicy(
                    timeouts: SessionTimeouts(idle: 300, idleWarning: 30, shiftLength: 3600, shiftEnds: [360, 870]),
                    willEndPatience: 1, eraserPatience: 4000))
        #expect(followed([:], base: base).sessionPolicy == base)
    }

    @Test(
        arguments: [
            (["idel": 300], "session_policy_unknown", "idel"), (["idle": "300"], "session_policy_malformed", "idle"),
            (["idle": true], "session_policy_malformed", "idle"),
            (["shiftEnds": "14:00"], "session_policy_malformed", "shiftEnds"),
            (["shiftEnds": [14]], "session_policy_malformed", "shiftEnds"),
            (["shiftEnds": ["25:00"]], "session_policy_time", "shiftEnds"),
            (["idle": -1], "session_policy_range", "idle"), (["willEnd": 10_001], "session_policy_range", "willEnd"),
            (["idle": 0], "session_policy_endless", "idle"), (["idle": 29], "session_policy_hasty", "idle"),
            (["idle": 60], "session_policy_unwarned", "idleWarning"),
        ] as [([String: PropertyList], String, String)])
    func `an unknown, impossible or unsafe policy is refused as a whole, and the key is named`(
        sessionPolicy: [String: PropertyList], code: String, key: String
    ) {
        // The other key would be valid.
        let (now, refusal) = followed(
            sessionPolicy.merging(["shiftLength": code == "session_policy_endless" ? 0 : 3600]) { $1 })
        #expect(now == .standard)
        #expect(refusal?.code.rawValue == code && refusal?.key == key)
        #expect(refusal.map { !$0.message.isEmpty && !$0.remedy.isEmpty } == true)
        let findings = CheckResult.sessionPolicy(now, refusal: refusal)
        #expect(findings.first?.code == code && findings.first?.verdict == .bad)
    }

    @Test func `a session policy that is not a dictionary is refused`() {
        #expect(throws: SessionPolicyError(.malformed, "sessionPolicy")) {
            try SessionPolicyOverride(configuration: ["sessionPolicy": 1])
        }
    }

    @Test func `a session policy under its former key is refused, and the error names the current key`() {
        let refusal = SessionPolicyError(.renamed, "doors")
        #expect(throws: refusal) { try SessionPolicyOverride(configuration: ["doors": ["idle": 300]]) }
        #expect(refusal.message == "doors is now called sessionPolicy.")
    }

    @Test func `the device's own session policy may be unsafe, and the doctor says so`() {
        let endless = SessionPolicy(
            timeouts: SessionTimeouts(idle: 0, idleWarning: 60, shiftLength: 0, shiftEnds: []), willEndPatience: 0,
            eraserPatience: 0)
        #expect(CheckResult.sessionPolicy(endless, refusal: nil).map(\.code) == ["session_policy_endless"])
        #expect(CheckResult.sessionPolicy(.standard, refusal: nil).map(\.verdict) == [.good])
    }

    @Test func `a new session policy applies to the signed-in worker, who is warned`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                _ = try await fixture.signIn(through: try fixture.agent(of: 1000))
                fixture.clock.pass(.seconds(600))
                fixture.device.set(sessionPolicy: try wishes(["idle": 300]))
                fixture.inputs.post(.deviceChanged)
                let epoch = try await fixture.epoch()
                #expect(try await fixture.sessionProcessReceives(.idle) == .idle(epoch: epoch, seconds: 60))
                #expect(try await fixture.status().session == "signedIn")
                fixture.clock.pass(.seconds(60))
                #expect(try await fixture.status().session == "signingOut")
                #expect(try fixture.trigger() == .idle)
            }
        }
    }

    @Test func `the session's start and last activity are on disk while the session lasts`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let files = DeviceFiles(root: Directory(path: scratch.path("device")))
                _ = try await fixture.signIn(through: try fixture.agent(of: 1000))
                let first = try #require(try files.sessionTimer())
                let epoch = try await fixture.epoch()
                fixture.clock.pass(.seconds(59))
                fixture.sessionProcessSends(.activity(epoch: epoch))
                _ = try await fixture.status()
                #expect(try files.sessionTimer() == first)
                fixture.clock.pass(.seconds(1))
                fixture.sessionProcessSends(.activity(epoch: epoch))
                _ = try await fixture.status()
                #expect(try files.sessionTimer() != first)
                fixture.order(.signOut(fromBrowser: false))
                _ = try await fixture.status()
                #expect(try files.sessionTimer() == nil)
            }
        }
    }
}
