// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import BrokerSupervisor
import Processes
import SessionIPC
import TestSupport
import Testing

/// When the broker restarts after an upgrade: see docs/operations/upgrade.md.
@Suite(.timeLimit(.minutes(10))) struct PendingRestartTests {
    @Test func `the broker of a device that nobody holds ends at once`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let state = try await fixture.status()
                #expect(state.session == "ready")
                fixture.inputs.post(.restartWanted)
                await #expect(throws: CancellationError.self) { try await fixture.status() }
            }
        }
    }

    @Test func `a sign-in and its session are finished before the broker ends`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let agent = try fixture.agent(of: 1000)
                fixture.sessionProcessSends(.signInRequested(requestID: 1))
                fixture.sessionProcessSends(.browserWanted(url: "http://127.0.0.1:1/x"))
                guard case .open(_, let epoch, _, _) = try await agent.order() else { throw TestProblem("no browser") }
                fixture.inputs.post(.restartWanted)
                #expect(try await fixture.status().session == "signingIn")
                fixture.sessionProcessSends(.signInSucceeded)
                #expect(try await fixture.status().session == "signedIn")
                #expect(try await findings(of: fixture) == ["broker_restart_waits"])
                fixture.order(.signOut(fromBrowser: false))
                guard case .close(epoch) = try await agent.order() else { throw TestProblem("no close") }
                #expect(try await fixture.status().session == "signingOut")
                agent.say(.closed(epoch: epoch))
                await #expect(throws: CancellationError.self) { try await fixture.status() }
                guard case .ready = try fixture.journal() else { throw TestProblem("\(fixture)") }
            }
        }
    }

    @Test func `after half a day the broker ends, whoever holds the device`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let agent = try fixture.agent(of: 1000)
                _ = try await fixture.signIn(through: agent)
                // The agent never reports that the browser is closed.
                fixture.order(.signOut(fromBrowser: false))
                fixture.inputs.post(.restartWanted)
                #expect(try await fixture.status().session == "signingOut")
                fixture.clock.pass(.seconds(12 * 60 * 60 - 1))
                #expect(try await fixture.status().session == "signingOut")
                fixture.clock.pass(.seconds(1))
                await #expect(throws: CancellationError.self) { try await fixture.status() }
                guard case .signingOut = try fixture.journal() else { throw TestProblem("no sign-out") }
            }
        }
    }

    @Test func `the doctor reports no restart if nobody has asked for one`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let findings = try await findings(of: fixture)
                #expect(findings == [])
            }
        }
    }

    /// The codes of the findings about a restart.
    private func findings(of fixture: SupervisorFixture) async throws -> [String] {
        guard case .diagnosis(let diagnosis) = try await fixture.ask(.examine) else { throw TestProblem("no findings") }
        return diagnosis.findings.map(\.code).filter { $0.hasPrefix("broker_re") }
    }
}
