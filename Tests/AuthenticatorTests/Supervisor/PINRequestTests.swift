// SPDX-License-Identifier: Apache-2.0
import Authenticator
import BrokerProtocol
import TestSupport
import Testing

/// Who asks the broker for the page on which a worker sets their PIN, and what they hear.
@Suite(.timeLimit(.minutes(10))) struct PINRequestTests {
    @Test func `where nobody is signed in there is no page`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorWorld.with(scratch) { world in
                let reply = try await world.ask(.setPIN)
                #expect(failure(of: reply) == "pin_needs_worker")
            }
        }
    }

    @Test func `the session's process says what became of it, and the end of the session does`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorWorld.with(scratch) { world in
                _ = try await world.signIn(through: try world.agent(of: 1000))
                let no = OperatorFailure(code: "no", message: "", remedy: "")
                for (said, heard) in [(no, "no"), (nil, nil)] as [(OperatorFailure?, String?)] {
                    async let reply = world.ask(.setPIN)
                    _ = try await world.childHears(.pinWanted)
                    let second = try await world.ask(.setPIN)
                    #expect(failure(of: second) == "pin_running")
                    world.childSays(.pinSettled(said))
                    let first = try await reply
                    #expect(failure(of: first) == heard)
                }
                async let reply = world.ask(.setPIN)
                _ = try await world.childHears(.pinWanted)
                world.order(.signOut(fromBrowser: false))
                let last = try await reply
                #expect(failure(of: last) == "pin_interrupted")
            }
        }
    }

    private func failure(of reply: OperatorReply) -> String? {
        guard case .failed(let failure) = reply else { return reply == .done ? nil : "another answer" }
        return failure.code
    }
}
