// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import Foundation
import Processes
import TestSupport
import Testing

extension LiveBrowser {
    /// A program of the session's user that poses as the agent (Tests/Clients/impostor_agent.py): what it achieves, and
    /// what the receipts record.
    @Suite struct AgentImpostorTests {
        @Test func `a program cannot take the agent's place, neither on a ready device nor during a session`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            let agent = try await live.status().agentPID
            #expect(try agent == live.pid(of: .agent))
            try await live.isCutOff(try await live.impostor(.unmarked))
            let app = try live.app(1)
            let amara = try await live.signIn("Amara", through: app)
            try await live.isCutOff(try await live.impostor(.unmarked))
            #expect(try await live.status().agentPID == agent)
            #expect(try await app.signOut(amara))
            #expect(try live.isClean)
            // The broker runs as the same user here, so it observes the agent's browser itself.
            #expect(try await live.newestReceipt().contains("browser: done, enforced, seen by the broker"))
            try await live.receiptsAreIntact()
        }

        @Test
        func `an agent's false report of a closed browser is rejected, and the device waits for another agent`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            try await live.kill(.agent)
            let impostor = try await live.impostor(.marked)
            try await live.awaitAgent()
            let app = try live.app(1)
            _ = try await live.signIn("Amara", through: app)
            async let ended: Void = live.settle()
            // The second answer proves that the broker did not accept the first.
            try await live.sees(impostor, "closed", times: 2)
            let status = try await live.status()
            #expect(status.session == "signingOut" && status.pending == ["browser"])
            let problem = try #require(status.problems.first)
            #expect(problem.contains("still exists: process ") && problem.contains("process \(impostor.pid) of user"))
            impostor.kill()
            try await impostor.waitForExit()
            try await live.start(.agent)
            try await ended
            #expect(try live.isClean)
            #expect(try await live.newestReceipt().contains("browser: done, enforced, seen by the broker"))
            try await live.findsNothing(of: "Amara")
        }

        @Test func `a browser that the broker cannot see is marked in the receipt as reported, not enforced`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            try await live.kill(.agent)
            let impostor = try await live.impostor(.unmarked)
            try await live.awaitAgent()
            let app = try live.app(1)
            let bo = try await live.signIn("Bo", through: app)
            #expect(try await app.signOut(bo))
            let receipt = try await live.newestReceipt()
            #expect(receipt.contains("browser: done, reported, seen by the agent"))
            #expect(receipt.contains("session_process: done, enforced, seen by the broker"))
            try await live.receiptsAreIntact()
            // The browser is still there, but the broker could not see it.
            let folder = live.path("impostor")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).contains("browser"))
            try await blocking { try ProcessSweep.endMarked("BATON_IMPOSTOR=" + folder) }
            impostor.kill()
            try await impostor.waitForExit()
            try FileManager.default.removeItem(atPath: folder)
            try await live.start(.agent)
            try await live.awaitAgent()
        }
    }
}

extension LiveEnvironment {
    fileprivate enum Kind: String { case marked, unmarked }

    fileprivate func impostor(_ kind: Kind) async throws -> RunningProgram {
        try await runAside(
            "Clients/impostor_agent.py",
            [
                path("run/agent.sock"), path("configuration/baton-agent.json"), path("impostor"), kind.rawValue,
                String(AgentMessage.version),
            ])
    }

    fileprivate func isCutOff(_ impostor: RunningProgram) async throws {
        #expect(try await impostor.waitForExit() == 0)
        #expect(try impostor.log() == "cut off\n")
    }

    /// Waits until the impostor has logged `word` at least `times` times.
    fileprivate func sees(_ impostor: RunningProgram, _ word: String, times: Int) async throws {
        let folder = URL(filePath: impostor.logPath).deletingLastPathComponent().path
        try await FolderWatch(folder).until("\(times) × \(word)") {
            let log = try impostor.log()
            // The impostor waits two minutes for an order, then fails.
            guard !log.contains("Traceback") else { throw TestProblem("no order came: \(log)") }
            return log.components(separatedBy: word).count > times
        }
    }

    fileprivate func newestReceipt() async throws -> String {
        try await baton("receipt", "show", String(receipts), "--state", path("device"))
    }

    fileprivate func receiptsAreIntact() async throws {
        let verdict = try await baton("receipt", "verify", "--state", path("device"))
        #expect(verdict.contains(": intact"))
    }
}
