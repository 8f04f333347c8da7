// SPDX-License-Identifier: Apache-2.0
import Authenticator
import BrokerProtocol
import TestSupport
import Testing

/// The doors that open by themselves.
@Suite(.timeLimit(.minutes(10))) struct StayDoorTests {
    @Test func `a worker who does nothing is warned after fourteen minutes and signed out after fifteen`() async throws
    {
        try await Scratch.with { scratch in
            try await SupervisorWorld.with(scratch) { world in
                _ = try await world.signIn(through: try world.agent(of: 1000))
                world.clock.pass(.seconds(839))
                #expect(try await world.status().session == "signedIn")
                world.clock.pass(.seconds(1))
                let epoch = try await world.status().epoch
                #expect(try await world.childHears(.idle) == .idle(epoch: epoch, seconds: 60))
                world.clock.pass(.seconds(59))
                #expect(try await world.status().session == "signedIn")
                world.clock.pass(.seconds(1))
                #expect(try await world.status().session == "signingOut")
                #expect(try world.door() == .idle)
            }
        }
    }

    @Test func `what the worker does puts the end off, and what somebody did in another session does not`() async throws
    {
        try await Scratch.with { scratch in
            try await SupervisorWorld.with(scratch) { world in
                _ = try await world.signIn(through: try world.agent(of: 1000))
                let epoch = try await world.status().epoch
                world.clock.pass(.seconds(600))
                world.childSays(.activity(epoch: epoch))
                #expect(try await world.status().session == "signedIn")
                world.clock.pass(.seconds(600))
                world.childSays(.activity(epoch: "1." + String(repeating: "a", count: 32)))
                #expect(try await world.status().session == "signedIn")
                world.clock.pass(.seconds(300))
                #expect(try await world.status().session == "signingOut")
            }
        }
    }

    @Test func `what the agent hears of the person counts`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorWorld.with(scratch) { world in
                let agent = try world.agent(of: 1000)
                _ = try await world.signIn(through: agent)
                world.clock.pass(.seconds(600))
                agent.say(.activity)
                #expect(try await world.status().session == "signedIn")
                world.clock.pass(.seconds(899))
                #expect(try await world.status().session == "signedIn")
                world.clock.pass(.seconds(1))
                #expect(try await world.status().session == "signingOut")
            }
        }
    }

    @Test(arguments: [(SeatEvent.charger, Door.charger), (.dock, .dock), (.seat, .seat)])
    func `what happens to the device signs the worker out, and is named`(event: SeatEvent, door: Door) async throws {
        try await Scratch.with { scratch in
            try await SupervisorWorld.with(scratch) { world in
                _ = try await world.signIn(through: try world.agent(of: 1000))
                world.order(.seat(event))
                #expect(try await world.status().session == "signingOut")
                #expect(try world.door() == door)
            }
        }
    }
}
