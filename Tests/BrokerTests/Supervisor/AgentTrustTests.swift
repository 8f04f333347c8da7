// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import SessionIPC
import TestSupport
import Testing

/// The rules for which agent may report the end of a worker's browser.
@Suite struct AgentTrustTests {
    @Test func `another user's agent does not replace the session's agent, and its reports are ignored`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let agent = try fixture.agent(of: 1000)
                let epoch = try await fixture.signIn(through: agent)
                #expect(try await fixture.agent(of: 1001).isCutOff())
                // A connected agent is not replaced, not even by another program of its own user.
                #expect(try await fixture.agent(of: 1000).isCutOff())
                fixture.order(.signOut(fromBrowser: false))
                #expect(try await agent.order() == .close(epoch: epoch))

                // The agent dies and its browser is not cleared: no other agent may report on it.
                agent.leave()
                let stranger = try fixture.agent(of: 1001)
                stranger.say(.closed(epoch: epoch))
                #expect(try await stranger.isCutOff())
                let status = try await fixture.status()
                #expect(status.session == "signingOut" && status.pending == ["browser"])
                #expect(!status.agentConnected)

                let next = try fixture.agent(of: 1000)
                #expect(try await next.order() == .close(epoch: epoch))
                next.say(.closed(epoch: epoch))
                #expect(try await fixture.status().session == "ready")
            }
        }
    }

    @Test func `the next supervisor knows which user's browser must be closed`() async throws {
        try await Scratch.with { scratch in
            var epoch = Epoch.ID.random()
            try await SupervisorFixture.with(scratch) { fixture in
                epoch = try await fixture.signIn(through: try fixture.agent(of: 1000))
            }
            try await SupervisorFixture.with(scratch) { fixture in
                #expect(try await fixture.status().pending == ["browser"])
                let stranger = try fixture.agent(of: 1001)
                stranger.say(.closed(epoch: epoch))
                #expect(try await stranger.isCutOff())
                #expect(try await fixture.status().session == "signingOut")
                let agent = try fixture.agent(of: 1000)
                #expect(try await agent.order() == .close(epoch: epoch))
                agent.say(.closed(epoch: epoch))
                #expect(try await fixture.status().session == "ready")
                // While nobody is at the device, the next agent may run as any user, but only after this agent is gone.
                #expect(try await fixture.agent(of: 1001).isCutOff())
                #expect(try await fixture.agent(of: 1000).isCutOff())
                agent.leave()
                _ = try await fixture.signIn(through: try fixture.agent(of: 1001), sessionProcess: 1)
            }
        }
    }

    @Test func `an administrator sees that no browser can be confined, until one was`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let agent = try fixture.agent(of: 1000)
                #expect(try await fixture.finding("browser_not_confined") == nil)
                agent.say(.cannotOpen(.notConfined))
                #expect(try await fixture.finding("browser_not_confined")?.verdict == .bad)
                agent.say(.failed(id: 1, code: "browser_unavailable", message: ""))
                #expect(try await fixture.finding("browser_not_confined") != nil)
                // A window that has opened shows that the machine can confine browsers.
                fixture.sessionProcessSends(.signInRequested(requestID: 1))
                fixture.sessionProcessSends(.browserWanted(url: "http://127.0.0.1:1/x"))
                guard case .open(let id, _, _, _) = try await agent.order() else { throw TestProblem("no browser") }
                agent.say(.opened(id: id))
                #expect(try await fixture.finding("browser_not_confined") == nil)
            }
        }
    }

    @Test func `an administrator sees which browser does not know a policy, and workers that nobody can sign in`()
        async throws
    {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let agent = try fixture.agent(of: 1000)
                agent.say(.cannotOpen(.workersPolicyUnknown))
                #expect(try await fixture.finding("workers_browser_policy_unknown")?.verdict == .bad)
                // A sign-in window belongs to a different browser, so it does not settle the finding.
                fixture.sessionProcessSends(.signInRequested(requestID: 1))
                fixture.sessionProcessSends(.browserWanted(url: "http://127.0.0.1:1/x"))
                guard case .open(let id, _, _, _) = try await agent.order() else { throw TestProblem("no browser") }
                agent.say(.opened(id: id))
                #expect(try await fixture.finding("workers_browser_policy_unknown") != nil)
                agent.say(.failed(id: id, code: "policy_unknown", message: ""))
                let finding = try await fixture.finding("browser_policy_unknown")
                #expect(finding?.verdict == .bad && finding?.remedy?.contains("log of baton-agent") == true)
            }
        }
    }

    @Test func `an administrator sees which agent is connected, which is refused, and whether it answers`()
        async throws
    {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let agent = try fixture.agent(of: 1000)
                #expect(try await fixture.agent(of: 1001).isCutOff())
                let status = try await fixture.status()
                #expect(status.agentConnected && status.agentUser == 1000)
                let refused = try #require(try await fixture.finding("agent_refused"))
                #expect(refused.message.contains("(user 1001)") && refused.message.contains("(user 1000)"))
                // A program that has stopped asking is no longer reported as refused.
                fixture.clock.pass(.seconds(10))
                #expect(try await fixture.finding("agent_refused") == nil)

                let epoch = try await fixture.signIn(through: agent)
                fixture.order(.signOut(fromBrowser: false))
                #expect(try await fixture.status().problems.isEmpty)
                fixture.clock.pass(.seconds(10))
                #expect(try await fixture.status().problems.first?.contains("(user 1000) has not reported") == true)
                agent.say(.closed(epoch: epoch))
                #expect(try await fixture.status().session == "ready")
            }
        }
    }

    @Test func `a supervisor without a record of a browser accepts the first agent that connects`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                fixture.sessionProcessSends(.signInRequested(requestID: 1))
                let status = try await fixture.status()
                #expect(status.session == "signingIn")
            }
            try await SupervisorFixture.with(scratch) { fixture in
                let agent = try fixture.agent(of: 1001)
                guard case .close(let epoch) = try await agent.order() else { throw TestProblem("no order") }
                agent.say(.closed(epoch: epoch))
                #expect(try await fixture.status().session == "ready")
            }
        }
    }
}
