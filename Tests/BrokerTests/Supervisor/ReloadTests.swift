// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerSupervisor
import Processes
import SessionIPC
import Synchronization
import TestSupport
import Testing

/// An operator gets the answer to a reload only once apps are served with the reloaded data.
@Suite struct ReloadTests {
    @Test func `a reload is answered once apps are served with the new data, and not before`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let isAnswered = Promise<OperatorReply>()
                let seen = Mutex(false)
                fixture.inputs.post(
                    .operatorAsked(.reload) { reply in
                        seen.withLock { $0 = true }
                        isAnswered.settle(.success(reply))
                    })
                _ = try await fixture.status()
                let isTooEarly = seen.withLock { $0 }
                #expect(!isTooEarly)
                try await isTold(fixture, change: 1)
                fixture.sessionProcessSends(.deviceKnown(change: 1))
                #expect(try await isAnswered.value() == .done)
            }
        }
    }

    @Test func `a reload is answered if the session process dies first`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                async let answer = fixture.ask(.reload)
                try await isTold(fixture, change: 1)
                fixture.inputs.post(.sessionProcessEnded(sessionProcess: 1))
                #expect(try await answer == .done)
            }
        }
    }

    /// Expects that the next message about the device to the session process is this change.
    private func isTold(_ fixture: SupervisorFixture, change wanted: UInt64) async throws {
        guard case .device(_, change: wanted) = try await fixture.sessionProcessReceives(.device) else {
            throw TestProblem("another change")
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `a reload is answered if it ends the session, and with it the session process`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let agent = try fixture.agent(of: 1000)
                _ = try await fixture.signIn(through: agent)
                fixture.device.isSharedNoMore()
                #expect(try await fixture.ask(.reload) == .done)
                #expect(try await fixture.status().session == "signingOut")
            }
        }
    }
}
