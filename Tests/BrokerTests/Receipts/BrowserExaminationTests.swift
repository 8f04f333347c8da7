// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import Foundation
import JSON
import Receipts
import TestSupport
import Testing

/// A receipt states what the agent reported about the browsers' sockets and files.
@Suite(.timeLimit(.minutes(3))) struct BrowserExaminationTests {
    private func finding(
        while here: (SupervisorFixture, FakeAgent, Epoch.ID) async throws -> Void
    ) async throws -> Finding<[String]> { try await receipt(while: here).remains.opened }

    /// The receipt of a session during which `here` acts as the agent.
    private func receipt(
        while here: (SupervisorFixture, FakeAgent, Epoch.ID) async throws -> Void
    ) async throws -> Receipt {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let agent = try fixture.agent(of: 1000)
                let epoch = try await fixture.signIn(through: agent)
                fixture.order(.signOut(fromBrowser: false))
                guard case .close = try await agent.order() else { throw TestProblem("no close") }
                try await here(fixture, agent, epoch)
                agent.say(.closed(epoch: epoch))
                #expect(try await fixture.status().session == "ready")
            }
            return try #require(try Shelf(scratch).file().receipts.first?.receipt)
        }
    }

    private func examination(
        _ found: OpenResource..., at moment: BrowserExamination.Moment = .ending, isComplete: Bool = true
    ) -> BrowserExamination {
        var examination = BrowserExamination(moment)
        for resource in found { examination.add(resource) }
        examination.isComplete = isComplete
        return examination
    }

    @Test func `without a report of the agent the receipt does not know`() async throws {
        #expect(try await finding { _, _, _ in } == .unknown)
    }

    @Test func `the receipt says none if the agent could look at everything and found nothing`() async throws {
        let seen = examination()
        #expect(try await finding { $1.say(.examined(epoch: $2, seen)) } == .none)
    }

    @Test func `the receipt does not know if the agent could not look at everything`() async throws {
        let (first, last) = (examination(isComplete: false), examination())
        let found = try await finding {
            $1.say(.examined(epoch: $2, first))
            $1.say(.examined(epoch: $2, last))
        }
        #expect(found == .unknown)
    }

    @Test func `what the agent found stays found`() async throws {
        let (first, last) = (examination(.port(9222), .outsideFile), examination(.abstractSocket, isComplete: false))
        let found = try await finding {
            $1.say(.examined(epoch: $2, first))
            $1.say(.examined(epoch: $2, last))
        }
        #expect(found == .known(["abstract_socket", "outside_file", "tcp_port:9222"]))
    }

    @Test func `a report about another epoch says nothing about this one`() async throws {
        let seen = examination(.port(9222))
        #expect(try await finding { _, agent, _ in agent.say(.examined(epoch: .random(), seen)) } == .unknown)
    }

    /// The receipt's results for the extension's files and for the policies, in this order.
    private func results(of receipt: Receipt) -> [ReceiptItem.Result] {
        let items = receipt.items.filter { $0.name.hasPrefix("browser_") }
        #expect(items.allSatisfy { $0.grade == .reported && $0.observer == .agent })
        #expect(items.isEmpty || items.map(\.name) == ["browser_extension", "browser_policies"])
        return items.map(\.result)
    }

    @Test func `a receipt has an item for the files that browsers read, which is done if none was changed`()
        async throws
    {
        let same = BrowserExamination(.ending)
        #expect(try await results(of: receipt { $1.say(.examined(epoch: $2, same)) }) == [.done, .done])
    }

    @Test func `a changed file stays changed, and makes its own item fail`() async throws {
        var (first, last) = (BrowserExamination(.signInOver), BrowserExamination(.ending))
        first.files?.changed = [.policies]
        last.files?.unread = [.package, .policies]
        let receipt = try await receipt { [first, last] in
            $1.say(.examined(epoch: $2, first))
            $1.say(.examined(epoch: $2, last))
        }
        #expect(results(of: receipt) == [.unanswered, .failed])
    }

    @Test func `without the agent's last report the files are not known to be unchanged`() async throws {
        let first = BrowserExamination(.started)
        #expect(try await results(of: receipt { $1.say(.examined(epoch: $2, first)) }) == [.unanswered, .unanswered])
        #expect(try await results(of: receipt { _, _, _ in }) == [.unanswered, .unanswered])
    }

    @Test func `an agent that writes no files has no such items`() async throws {
        let seen = BrowserExamination(.ending, files: nil)
        #expect(try await results(of: receipt { $1.say(.examined(epoch: $2, seen)) }) == [])
    }

    @Test func `an examination keeps at most sixteen resources, and is incomplete if there are more`() {
        var seen = BrowserExamination(.ending)
        for port in UInt16(1)...16 { seen.add(.port(port)) }
        seen.add(.port(1))
        #expect(seen.isComplete)
        seen.add(.port(17))
        #expect(!seen.isComplete && seen.found.count == 16)
    }

    @Test func `the longest report can be read`() throws {
        var seen = BrowserExamination(.signInOver)
        for port in UInt16.max - 16...UInt16.max { seen.add(.port(port)) }
        let message = AgentMessage.examined(epoch: .random(), seen)
        let bytes = Array(try JSONEncoder().encode(message))
        #expect(try JSONReader.read(AgentMessage.self, from: bytes, limits: Wire.agentLimits) == message)
    }

    @Test func `what the agent saw earlier is not what it sees before the end`() async throws {
        let (first, last) = (examination(at: .started), examination(at: .signInOver))
        let found = try await finding {
            $1.say(.examined(epoch: $2, first))
            $1.say(.examined(epoch: $2, last))
        }
        #expect(found == .unknown)
    }

    @Test func `after a restart of the broker the receipt does not know`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                _ = try await fixture.signIn(through: fixture.agent(of: 1000))
            }
            let seen = examination()
            try await SupervisorFixture.with(scratch) { fixture in
                let agent = try fixture.agent(of: 1000)
                guard case .close(let epoch) = try await agent.order() else { throw TestProblem("no close") }
                agent.say(.examined(epoch: epoch, seen))
                agent.say(.closed(epoch: epoch))
                #expect(try await fixture.status().session == "ready")
            }
            #expect(try Shelf(scratch).file().receipts.first?.receipt.remains.opened == .unknown)
        }
    }
}
