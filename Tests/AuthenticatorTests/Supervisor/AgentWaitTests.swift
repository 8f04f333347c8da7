// SPDX-License-Identifier: Apache-2.0
import Authenticator
import BrokerProtocol
import TestSupport
import Testing

/// How long somebody waits for an agent that is not there.
@Suite(.timeLimit(.minutes(10))) struct AgentWaitTests {
    private let page = "http://127.0.0.1:1/x"

    @Test func `a sign-in goes on when the agent comes within three seconds`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorWorld.with(scratch) { world in
                world.childSays(.visitWanted(ticket: 1))
                world.childSays(.browserWanted(url: page))
                #expect(try await world.status().session == "signingIn")
                world.clock.pass(.milliseconds(2_999))
                let agent = try world.agent(of: 1000)
                guard case .open(_, _, page) = try await agent.order() else { throw TestProblem("no browser") }
                world.clock.pass(.seconds(60))
                world.childSays(.visitSucceeded)
                #expect(try await world.status().session == "signedIn")
            }
        }
    }

    @Test func `a sign-in fails after three seconds without an agent`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorWorld.with(scratch) { world in
                world.childSays(.visitWanted(ticket: 1))
                world.childSays(.browserWanted(url: page))
                #expect(try await world.status().session == "signingIn")
                world.clock.pass(.seconds(3))
                let heard = try await world.childHears(.browserEnded)
                #expect(heard == .browserEnded(.agentMissing))
                // No browser was opened: there is nothing of one to be cleared.
                world.childSays(.visitFailed(OperatorFailure(code: "", message: "", remedy: "")))
                #expect(try await world.status().session == "ready")
            }
        }
    }

    @Test func `the next worker waits while the last one's agent comes back, and no longer`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorWorld.with(scratch) { world in
                _ = try await world.signIn(through: try world.agent(of: 1000))
            }
            try await SupervisorWorld.with(scratch) { world in
                world.childSays(.visitWanted(ticket: 7))
                #expect(try await world.status().pending == ["browser"])
                world.clock.pass(.seconds(3))
                #expect(try await world.childHears(.refuse) == .refuse(ticket: 7, .agentMissing))

                world.childSays(.visitWanted(ticket: 8))
                #expect(try await world.status().session == "signingOut")
                world.clock.pass(.seconds(2))
                let agent = try world.agent(of: 1000)
                guard case .close(let epoch) = try await agent.order() else { throw TestProblem("no order") }
                world.clock.pass(.seconds(60))
                agent.say(.closed(epoch: epoch))
                guard case .admit(ticket: 8, _) = try await world.childHears(.admit) else {
                    throw TestProblem("another sign-in")
                }
                #expect(try await world.status().session == "signingIn")
            }
        }
    }

    @Test func `an administrator who wants to join waits no longer either`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorWorld.with(scratch) { world in
                _ = try await world.signIn(through: try world.agent(of: 1000))
            }
            try await SupervisorWorld.with(scratch, isJoined: false) { world in
                let order = JoinOrder(loginURL: "", registrationURL: "", tenant: "t", deviceName: "d")
                async let answer = world.ask(.join(order))
                var delays = world.clock.delays.filter { $0 == .seconds(3) }.makeAsyncIterator()
                _ = await delays.next()
                world.clock.pass(.seconds(3))
                guard case .failed(let failure) = try await answer else { throw TestProblem("no refusal") }
                #expect(failure.code == "agent_missing")
            }
        }
    }
}
