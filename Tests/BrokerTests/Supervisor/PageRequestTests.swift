// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import BrokerSupervisor
import Processes
import SessionIPC
import TestSupport
import Testing

/// Each request for a worker's page is answered once, when the agent has reported the result.
@Suite(.timeLimit(.minutes(10))) struct PageRequestTests {
    /// Requests a page in the session of this epoch and returns the id of the agent's order.
    private func order(_ requestID: UInt64, _ fixture: SupervisorFixture, _ agent: FakeAgent) async throws -> UInt64 {
        fixture.sessionProcessSends(.pageWanted(nil, epoch: try await fixture.epoch(), requestID: requestID))
        guard case .browse(let id, _, nil) = try await agent.order() else { throw TestProblem("no order for a page") }
        #expect(AgentOrder.isPage(id))
        return id
    }

    /// Expects that the next answer is this one.
    private func expect(_ requestID: UInt64, _ failure: PageFailure?, _ fixture: SupervisorFixture) async throws {
        let answer = try await fixture.sessionProcessReceives(.pageSettled)
        #expect(answer == .pageSettled(requestID: requestID, failure))
    }

    @Test func `each page request gets its own answer, once`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let agent = try fixture.agent(of: 1000)
                _ = try await fixture.signIn(through: agent)
                let ids = [
                    try await order(1, fixture, agent), try await order(2, fixture, agent),
                    try await order(3, fixture, agent), try await order(4, fixture, agent),
                ]
                #expect(Set(ids).count == ids.count)
                // The report that the process was started is not an answer.
                for id in ids { agent.say(.opened(id: id)) }
                agent.say(.shown(id: ids[1]))
                agent.say(.failed(id: ids[0], code: "browser_ended", message: ""))
                agent.say(.shown(id: ids[0]))
                agent.say(.shown(id: 1))
                agent.say(.failed(id: ids[2], code: "browser_silent", message: ""))
                agent.say(.failed(id: ids[3], code: "address_blocked", message: ""))
                try await expect(2, nil, fixture)
                try await expect(1, .notShown, fixture)
                try await expect(3, .unconfirmed, fixture)
                try await expect(4, .blocked, fixture)
                let last = try await order(5, fixture, agent)
                agent.say(.shown(id: last))
                try await expect(5, nil, fixture)
            }
        }
    }

    @Test func `a page without an agent's answer is unconfirmed after fifteen seconds`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let agent = try fixture.agent(of: 1000)
                _ = try await fixture.signIn(through: agent)
                let late = try await order(1, fixture, agent)
                fixture.clock.pass(.milliseconds(14_999))
                let next = try await order(2, fixture, agent)
                fixture.clock.pass(.milliseconds(1))
                try await expect(1, .unconfirmed, fixture)
                agent.say(.shown(id: late))
                agent.say(.shown(id: next))
                try await expect(2, nil, fixture)
            }
        }
    }

    @Test func `the loss of the agent answers every pending page request`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let agent = try fixture.agent(of: 1000)
                _ = try await fixture.signIn(through: agent)
                for requestID in [UInt64(1), 2] { _ = try await order(requestID, fixture, agent) }
                agent.leave()
                try await expect(1, .agentMissing, fixture)
                try await expect(2, .agentMissing, fixture)
                fixture.sessionProcessSends(.pageWanted(nil, epoch: try await fixture.epoch(), requestID: 3))
                try await expect(3, .agentMissing, fixture)
            }
        }
    }

    @Test func `at most sixteen page requests are pending at once`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let agent = try fixture.agent(of: 1000)
                _ = try await fixture.signIn(through: agent)
                let first = try await order(1, fixture, agent)
                for requestID in UInt64(2)...16 { _ = try await order(requestID, fixture, agent) }
                fixture.sessionProcessSends(.pageWanted(nil, epoch: try await fixture.epoch(), requestID: 17))
                try await expect(17, .tooMany, fixture)
                agent.say(.shown(id: first))
                try await expect(1, nil, fixture)
                _ = try await order(18, fixture, agent)
            }
        }
    }

    @Test(arguments: [true, false])
    func `requests end with their session process and are not confused with those of the next`(signsOut: Bool)
        async throws
    {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let agent = try fixture.agent(of: 1000)
                let ended = try await fixture.signIn(through: agent)
                let former = try await order(1, fixture, agent)
                if signsOut {
                    fixture.order(.signOut(fromBrowser: false))
                    guard case .close = try await agent.order() else { throw TestProblem("no order") }
                    agent.say(.closed(epoch: ended))
                    #expect(try await fixture.status().session == "ready")
                    _ = try await fixture.signIn(through: agent, sessionProcess: 2)
                } else {
                    fixture.inputs.post(.sessionProcessEnded(sessionProcess: 1))
                    #expect(try await fixture.status().session == "signedIn")
                }
                let epoch = try await fixture.epoch()
                fixture.sessionProcessSends(.pageWanted(nil, epoch: epoch, requestID: 1), sessionProcess: 2)
                guard case .browse(let id, _, nil) = try await agent.order() else { throw TestProblem("no order") }
                agent.say(.failed(id: former, code: "browser_ended", message: ""))
                fixture.clock.pass(.seconds(10))
                agent.say(.shown(id: id))
                try await expect(1, nil, fixture)
            }
        }
    }

    @Test func `a page of a session that has ended is refused`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                _ = try fixture.agent(of: 1000)
                fixture.sessionProcessSends(.pageWanted(nil, epoch: try await fixture.epoch(), requestID: 1))
                try await expect(1, .nobodySignedIn, fixture)
            }
        }
    }
}
