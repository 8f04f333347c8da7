// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import BrokerSupervisor
import Foundation
import Glibc
import Processes
import TestSupport
import Testing

/// The handling of session processes that die or do not read their messages.
@Suite(.timeLimit(.minutes(10))) struct RestartTests {
    @Test
    func `a process that dies at once is restarted immediately once, then after pauses that grow to five seconds`()
        async throws
    {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch, sessionProcess: "printf x >> \(scratch.path("starts")); exit 1") {
                fixture in
                var pauses = fixture.clock.delays.filter { $0 < .seconds(60) }.makeAsyncIterator()
                for (count, pause) in zip(2..., [100, 200, 400, 800, 1600, 3200, 5000, 5000]) {
                    #expect(await pauses.next() == .milliseconds(pause))
                    let starts = try Data(contentsOf: URL(filePath: scratch.path("starts"))).count
                    #expect(starts == count)
                    #expect(try await fixture.status().session == "ready")
                    fixture.clock.pass(.milliseconds(pause))
                }
            }
        }
    }

    @Test func `a process that reads nothing is killed, and does not prevent a sign-out`() async throws {
        try await Scratch.with { scratch in
            let script = "printf x >> \(scratch.path("starts")); exec /bin/sleep 600"
            try await SupervisorFixture.with(scratch, sessionProcess: script) { fixture in
                _ = try await fixture.signIn(through: try fixture.agent(of: 1000))
                // More than a socket buffer holds.
                for _ in 0..<2000 { fixture.inputs.post(.deviceChanged) }
                fixture.order(.signOut(fromBrowser: false))
                #expect(try await fixture.status().session == "signingOut")
            }
        }
    }

    @Test func `a process that stays alive after a pause serves the next worker`() async throws {
        try await Scratch.with { scratch in
            let script =
                "printf x >> \(scratch.path("starts")); test -e \(scratch.path("well")) && exec /bin/cat <&3 >/dev/null; exit 1"
            try await SupervisorFixture.with(scratch, sessionProcess: script) { fixture in
                var pauses = fixture.clock.delays.filter { $0 < .seconds(60) }.makeAsyncIterator()
                #expect(await pauses.next() == .milliseconds(100))
                try scratch.write("", to: "well")
                fixture.clock.pass(.milliseconds(100))
                // The third process stays alive and serves a worker.
                let agent = try fixture.agent(of: 1000)
                _ = try await fixture.signIn(through: agent, sessionProcess: 3)
            }
        }
    }
}
