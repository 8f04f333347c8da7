// SPDX-License-Identifier: Apache-2.0
import BrokerSupervisor
import TestSupport
import Testing

/// The order in which the transitions of a session run.
@Suite struct TransitionQueueTests {
    /// Records when each transition begins and ends. While the first one runs, the recorder adds two more.
    private final class Recorder {
        let queue = TransitionQueue()
        var log: [String] = []

        func add(_ number: Int) throws { try queue.add { try self.run(number) } }

        private func run(_ number: Int) throws {
            log.append("begin \(number)")
            if number == 1 {
                try add(2)
                try add(3)
            }
            if number == 4 { throw TestProblem("4") }
            log.append("end \(number)")
        }
    }

    @Test func `a transition that another one adds runs after it`() throws {
        let recorder = Recorder()
        try recorder.add(1)
        #expect(recorder.log == ["begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3"])
    }

    @Test func `every transition has run before the first one's caller continues`() throws {
        let recorder = Recorder()
        try recorder.add(2)
        try recorder.add(3)
        #expect(recorder.log == ["begin 2", "end 2", "begin 3", "end 3"])
    }

    @Test func `an error reaches the caller that added the transition`() throws {
        let recorder = Recorder()
        #expect(throws: TestProblem.self) { try recorder.add(4) }
        #expect(recorder.log == ["begin 4"])
    }
}
