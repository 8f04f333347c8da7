// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import DeviceSettings
import SessionIPC
import TestSupport
import Testing

/// Sessions that end automatically.
@Suite(.timeLimit(.minutes(10))) struct SessionTimerTriggerTests {
    @Test func `an idle worker is warned after fourteen minutes and signed out after fifteen`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                _ = try await fixture.signIn(through: try fixture.agent(of: 1000))
                fixture.clock.pass(.seconds(839))
                #expect(try await fixture.status().session == "signedIn")
                fixture.clock.pass(.seconds(1))
                let epoch = try await fixture.epoch()
                #expect(try await fixture.sessionProcessReceives(.idle) == .idle(epoch: epoch, seconds: 60))
                fixture.clock.pass(.seconds(59))
                #expect(try await fixture.status().session == "signedIn")
                fixture.clock.pass(.seconds(1))
                #expect(try await fixture.status().session == "signingOut")
                #expect(try fixture.trigger() == .idle)
            }
        }
    }

    @Test func `the worker's activity postpones the end, activity in another session does not`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                _ = try await fixture.signIn(through: try fixture.agent(of: 1000))
                let epoch = try await fixture.epoch()
                fixture.clock.pass(.seconds(600))
                fixture.sessionProcessSends(.activity(epoch: epoch))
                #expect(try await fixture.status().session == "signedIn")
                fixture.clock.pass(.seconds(600))
                fixture.sessionProcessSends(
                    .activity(epoch: try #require(Epoch("1." + String(repeating: "a", count: 32)))))
                #expect(try await fixture.status().session == "signedIn")
                fixture.clock.pass(.seconds(300))
                #expect(try await fixture.status().session == "signingOut")
            }
        }
    }

    @Test func `the input that the agent reports counts as activity`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let agent = try fixture.agent(of: 1000)
                _ = try await fixture.signIn(through: agent)
                fixture.clock.pass(.seconds(600))
                agent.say(.activity)
                #expect(try await fixture.status().session == "signedIn")
                fixture.clock.pass(.seconds(899))
                #expect(try await fixture.status().session == "signedIn")
                fixture.clock.pass(.seconds(1))
                #expect(try await fixture.status().session == "signingOut")
            }
        }
    }

    @Test(arguments: [(SeatEvent.charger, SignOutTrigger.charger), (.dock, .dock), (.seat, .seat)])
    func `a device event signs the worker out, and is named as the trigger`(event: SeatEvent, trigger: SignOutTrigger)
        async throws
    {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                _ = try await fixture.signIn(through: try fixture.agent(of: 1000))
                fixture.order(.seat(event))
                #expect(try await fixture.status().session == "signingOut")
                #expect(try fixture.trigger() == trigger)
            }
        }
    }
}
