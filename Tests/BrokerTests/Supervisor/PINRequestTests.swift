// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import SessionIPC
import TestSupport
import Testing

/// The conditions for the page on which a PIN is set, and the answers to the operator.
@Suite(.timeLimit(.minutes(10))) struct PINRequestTests {
    @Test func `no page is opened while nobody is signed in`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let reply = try await fixture.ask(.setPIN)
                #expect(failure(of: reply) == "pin_needs_worker")
            }
        }
    }

    @Test func `the operator gets the session process's result, or an answer when the session ends`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                _ = try await fixture.signIn(through: try fixture.agent(of: 1000))
                let no = OperatorFailure(code: "no", message: "", remedy: "")
                for (said, heard) in [(no, "no"), (nil, nil)] as [(OperatorFailure?, String?)] {
                    async let reply = fixture.ask(.setPIN)
                    _ = try await fixture.sessionProcessReceives(.pinWanted)
                    let second = try await fixture.ask(.setPIN)
                    #expect(failure(of: second) == "pin_running")
                    fixture.sessionProcessSends(.pinSettled(said))
                    let first = try await reply
                    #expect(failure(of: first) == heard)
                }
                async let reply = fixture.ask(.setPIN)
                _ = try await fixture.sessionProcessReceives(.pinWanted)
                fixture.order(.signOut(fromBrowser: false))
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
