// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import Foundation
import MSAL
import TestSupport
import Testing

extension LiveDevice {
    /// An upgrade of the device's packages while a worker is signed in: see docs/operations/upgrade.md.
    @Suite struct UpgradeTests {
        @Test func `an upgrade does not disturb a session, and the next worker has the new programs`() async throws {
            let live = try await LiveEnvironment.ready()
            try await Scratch.with { scratch in
                for program in [LiveEnvironment.Program.broker, .agent] { try await live.kill(program) }
                let (broker, agent) = (
                    try InstalledProgram("batond", in: scratch), try InstalledProgram("baton-agent", in: scratch)
                )
                let manager = try live.serviceManager()
                try await live.start(.broker, file: broker.path, by: manager)
                try await live.start(.agent, file: agent.path)
                try await live.awaitAgent()
                let app = try live.app(1)
                let amara = try await live.signIn("Amara", through: app)
                let epoch = try await live.status().epoch

                // The upgrade stops half-way: the programs that are in place now must not be started.
                for program in [broker, agent] { try program.replace(with: "#!/bin/sh\nexit 1\n") }
                #expect(try await live.findings().contains("broker_replaced"))
                let process = try live.sessionProcess()
                process.kill()
                try await process.waitForEnd()
                #expect(try await app.token(of: amara, refreshed: true).account == amara)
                #expect(try await live.status().epoch == epoch)

                // The upgrade is complete, and the package asks for the restart.
                for program in [broker, agent] { try program.replace() }
                try live.send(SIGHUP, to: .broker)
                try await live.log(of: .broker, says: "a restart was asked for")
                #expect(try await live.findings().contains("broker_restart_waits"))
                #expect(try await app.token(of: amara, refreshed: true).account == amara)
                #expect(try await live.status().session == "signedIn")

                #expect(try await app.signOut(amara))
                try await live.awaitEnd(of: .broker)
                try await live.awaitEnd(of: .agent)
                #expect(try manager.keptNames == [])
                try await live.start(.broker, file: broker.path, by: manager)
                try await live.start(.agent, file: agent.path)
                try await live.comesBack()
                #expect(try broker.runs(in: live.pid(of: .broker)) && agent.runs(in: live.pid(of: .agent)))
                #expect(try await live.findings().filter { $0.hasPrefix("broker_re") } == [])
                #expect(try await app.accounts().current == nil)
                let next = try await live.signIn("Amara", through: app)
                #expect(try await app.token(of: next).account == next)
                for program in [LiveEnvironment.Program.broker, .agent] { try await live.kill(program) }
            }
        }

        @Test func `an agent whose program was not replaced stays when the broker restarts`() async throws {
            let live = try await LiveEnvironment.ready()
            let agent = try live.pid(of: .agent)
            try live.send(SIGHUP, to: .broker)
            try await live.awaitEnd(of: .broker)
            try await live.start(.broker)
            try await live.comesBack()
            #expect(try await live.status().agentPID == agent)
        }
    }
}

extension LiveEnvironment {
    /// The codes of the findings of `baton doctor`.
    fileprivate func findings() async throws -> [String] {
        guard case .diagnosis(let diagnosis) = try await ask(.examine) else { throw TestProblem("no findings") }
        return diagnosis.findings.map(\.code)
    }
}
