// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import MSAL
import Testing

@testable import Handover

/// What a process asks the broker, in orders of events that a simulated device does not produce.
@Suite struct HandoverMachineTests {
    private let epochs: [Epoch]
    private var machine = HandoverMachine()

    init() throws { epochs = try (1...3).map { try #require(Epoch("\($0).00000000000000000000000000000000")) } }

    @Test mutating func `a block that throws while the worker changes is called again`() {
        _ = machine.add(eraser: "notes")
        _ = machine.opened(epochs[1])
        #expect(machine.owed("notes", .success(epochs[0])) == [.erase(eraser: "notes", epochs[0])])
        // The next worker has signed in before the app learns that its report has arrived.
        _ = machine.erased("notes", of: epochs[0], .failed)
        _ = machine.opened(epochs[2])
        #expect(machine.reported("notes", of: epochs[0], .success(())) == [.askOwed(eraser: "notes")])
        #expect(machine.owed("notes", .success(epochs[0])) == [.erase(eraser: "notes", epochs[0])])
        // If nobody has signed in since, the block is not called again until somebody does.
        _ = machine.erased("notes", of: epochs[0], .failed)
        #expect(machine.reported("notes", of: epochs[0], .success(())) == [])
    }

    @Test mutating func `an answer about another epoch than the reported one changes nothing`() {
        _ = machine.add(eraser: "notes")
        _ = machine.opened(epochs[2])
        #expect(machine.owed("notes", .success(epochs[1])) == [.erase(eraser: "notes", epochs[1])])
        _ = machine.erased("notes", of: epochs[1], .done)
        #expect(machine.reported("notes", of: epochs[0], .success(())) == [])
        #expect(machine.reported("notes", of: epochs[1], .success(())) == [.askOwed(eraser: "notes")])
    }

    @Test mutating func `one report of an erasure is under way at a time, so its answer belongs to no other attempt`() {
        _ = machine.add(eraser: "notes")
        _ = machine.opened(epochs[1])
        #expect(machine.owed("notes", .success(epochs[0])) == [.erase(eraser: "notes", epochs[0])])
        let report = HandoverMachine.Action.report(eraser: "notes", epochs[0], .failed)
        #expect(machine.erased("notes", of: epochs[0], .failed) == [report])
        // A report has a connection of its own, which goes on when the machine's connection is lost and opens again.
        #expect(machine.opened(epochs[2]) == [] && machine.resend("notes") == [])
        #expect(machine.missed(.ended) == [] && machine.opened(epochs[2]) == [])
        #expect(machine.reported("notes", of: epochs[0], .success(())) == [.askOwed(eraser: "notes")])
    }

    @Test mutating func `a report that did not arrive is sent again, later or on the next connection`() {
        _ = machine.add(eraser: "notes")
        _ = machine.opened(epochs[1])
        _ = machine.owed("notes", .success(epochs[0]))
        let report = HandoverMachine.Action.report(eraser: "notes", epochs[0], .done)
        #expect(machine.erased("notes", of: epochs[0], .done) == [report])
        #expect(machine.reported("notes", of: epochs[0], .failure(.ended)) == [.reportLater(eraser: "notes")])
        #expect(machine.resend("notes") == [report] && machine.resend("notes") == [])
        // Both occasions come after one failure: the report is sent once.
        #expect(machine.reported("notes", of: epochs[0], .failure(.ended)) == [.reportLater(eraser: "notes")])
        #expect(machine.opened(epochs[2]) == [report] && machine.resend("notes") == [])
        // A failure that does not pass by itself waits for a connection.
        #expect(machine.reported("notes", of: epochs[0], .failure(.incompatible)) == [])
        #expect(machine.opened(epochs[2]) == [report])
        #expect(machine.reported("notes", of: epochs[0], .success(())) == [.askOwed(eraser: "notes")])
    }

    @Test mutating func `one report of unsaved work is under way at a time, and the last one is true`() {
        _ = machine.opened(epochs[0])
        #expect(machine.setUnsaved(true) == [.reportUnsaved(true)])
        for _ in 0..<1000 { #expect(machine.setUnsaved(false) == [] && machine.setUnsaved(true) == []) }
        #expect(machine.setUnsaved(false) == [])
        #expect(machine.reportedUnsaved() == [.reportUnsaved(false)])
        #expect(machine.reportedUnsaved() == [])
        // A report that was lost with its connection is sent again on the next connection.
        #expect(machine.setUnsaved(true) == [.reportUnsaved(true)])
        _ = machine.missed(.ended)
        #expect(machine.reportedUnsaved() == [] && machine.opened(epochs[0]) == [.reportUnsaved(true)])
    }

    @Test mutating func `blocks that hang before one end run before a later end once they have returned`() {
        _ = machine.opened(epochs[0])
        let first = machine.event(.willEnd(epochs[0], milliseconds: 500))
        #expect(first == [.prepare(epochs[0], milliseconds: 500)])
        _ = machine.opened(epochs[1])
        #expect(machine.event(.willEnd(epochs[1], milliseconds: 500)) == [])
        // Blocks that have returned after being called for one end do not count as prepared for another end.
        #expect(machine.prepared(epochs[0]) == [])
        _ = machine.opened(epochs[2])
        let last = machine.event(.willEnd(epochs[2], milliseconds: 500))
        #expect(last == [.prepare(epochs[2], milliseconds: 500)])
        #expect(machine.prepared(epochs[2]) == [.readyToEnd])
    }
}
