// SPDX-License-Identifier: Apache-2.0
import Authenticator
import BrokerProtocol
import Processes
import Synchronization
import TestSupport
import Testing

/// What an operator hears of a reload is true when they hear it.
@Suite struct ReloadTests {
    @Test func `a reload is done when apps are served by it, and not before`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorWorld.with(scratch) { world in
                let isAnswered = Promise<OperatorReply>()
                let seen = Mutex(false)
                world.inputs.post(
                    .operatorAsked(.reload) { reply in
                        seen.withLock { $0 = true }
                        isAnswered.settle(.success(reply))
                    })
                _ = try await world.status()
                let isTooEarly = seen.withLock { $0 }
                #expect(!isTooEarly)
                try await isTold(world, change: 1)
                world.childSays(.deviceKnown(change: 1))
                #expect(try await isAnswered.value() == .done)
            }
        }
    }

    @Test func `where the session's process dies first, nobody is served by what it knew`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorWorld.with(scratch) { world in
                async let answer = world.ask(.reload)
                try await isTold(world, change: 1)
                world.inputs.post(.childEnded(child: 1))
                #expect(try await answer == .done)
            }
        }
    }

    /// Expects that the next message about the device to the session process is this change.
    private func isTold(_ world: SupervisorWorld, change wanted: UInt64) async throws {
        guard case .device(_, change: wanted) = try await world.childHears(.device) else {
            throw TestProblem("another change")
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `a reload that ends the session, and its process with it, is answered`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorWorld.with(scratch) { world in
                let agent = try world.agent(of: 1000)
                _ = try await world.signIn(through: agent)
                world.device.isSharedNoMore()
                #expect(try await world.ask(.reload) == .done)
                #expect(try await world.status().session == "signingOut")
            }
        }
    }
}
