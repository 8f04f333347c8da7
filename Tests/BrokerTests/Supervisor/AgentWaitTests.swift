// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerSession
import BrokerSupervisor
import SessionIPC
import TestSupport
import Testing

/// How long a sign-in waits for a missing agent.
@Suite(.timeLimit(.minutes(10))) struct AgentWaitTests {
    private let page = "http://127.0.0.1:1/x"

    @Test func `a sign-in continues if the agent connects within three seconds`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                fixture.sessionProcessSends(.signInRequested(requestID: 1))
                fixture.sessionProcessSends(.browserWanted(url: page))
                #expect(try await fixture.status().session == "signingIn")
                fixture.clock.pass(.milliseconds(2_999))
                let agent = try fixture.agent(of: 1000)
                guard case .open(_, _, page, _) = try await agent.order() else { throw TestProblem("no browser") }
                fixture.clock.pass(.seconds(60))
                fixture.sessionProcessSends(.signInSucceeded)
                #expect(try await fixture.status().session == "signedIn")
            }
        }
    }

    @Test func `a sign-in fails after three seconds without an agent`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                fixture.sessionProcessSends(.signInRequested(requestID: 1))
                fixture.sessionProcessSends(.browserWanted(url: page))
                #expect(try await fixture.status().session == "signingIn")
                fixture.clock.pass(.seconds(3))
                let heard = try await fixture.sessionProcessReceives(.browserEnded)
                #expect(heard == .browserEnded(.agentMissing))
                // No browser was opened, so there is nothing to clear.
                fixture.sessionProcessSends(.signInFailed(OperatorFailure(code: "", message: "", remedy: "")))
                #expect(try await fixture.status().session == "ready")
            }
        }
    }

    @Test func `the next worker waits while the former worker's agent reconnects, and no longer`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                _ = try await fixture.signIn(through: try fixture.agent(of: 1000))
            }
            try await SupervisorFixture.with(scratch) { fixture in
                fixture.sessionProcessSends(.signInRequested(requestID: 7))
                #expect(try await fixture.status().pending == ["browser"])
                fixture.clock.pass(.seconds(3))
                #expect(try await fixture.sessionProcessReceives(.refuse) == .refuse(requestID: 7, .agentMissing))

                fixture.sessionProcessSends(.signInRequested(requestID: 8))
                #expect(try await fixture.status().session == "signingOut")
                fixture.clock.pass(.seconds(2))
                let agent = try fixture.agent(of: 1000)
                guard case .close(let epoch) = try await agent.order() else { throw TestProblem("no order") }
                fixture.clock.pass(.seconds(60))
                agent.say(.closed(epoch: epoch))
                guard case .admit(requestID: 8, _) = try await fixture.sessionProcessReceives(.admit) else {
                    throw TestProblem("another sign-in")
                }
                #expect(try await fixture.status().session == "signingIn")
            }
        }
    }

    @Test func `a join does not wait longer for an agent either`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                _ = try await fixture.signIn(through: try fixture.agent(of: 1000))
            }
            try await SupervisorFixture.with(scratch, isJoined: false) { fixture in
                let order = JoinOrder(loginURL: "", registrationURL: "", tenant: "t", deviceName: "d")
                async let answer = fixture.ask(.join(order))
                var delays = fixture.clock.delays.filter { $0 == .seconds(3) }.makeAsyncIterator()
                _ = await delays.next()
                fixture.clock.pass(.seconds(3))
                guard case .failed(let failure) = try await answer else { throw TestProblem("no refusal") }
                #expect(failure.code == "agent_missing")
            }
        }
    }
}
