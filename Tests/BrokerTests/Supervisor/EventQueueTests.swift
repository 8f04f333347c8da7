// SPDX-License-Identifier: Apache-2.0
import BrokerSupervisor
import TestSupport
import Testing

/// The order in which the supervisor's events are handled.
@Suite struct EventQueueTests {
    /// Records when each event begins and ends. While the first event is handled, the recorder adds two more events.
    private final class Recorder {
        let queue = EventQueue<Int>()
        var log: [String] = []

        func add(_ event: Int) throws { try queue.add(event, handle: handle) }

        private func handle(_ event: Int) throws {
            log.append("begin \(event)")
            if event == 1 {
                try add(2)
                try add(3)
            }
            if event == 4 { throw TestProblem("4") }
            log.append("end \(event)")
        }
    }

    @Test func `an event that another event adds is handled after that event`() throws {
        let recorder = Recorder()
        try recorder.add(1)
        #expect(recorder.log == ["begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3"])
    }

    @Test func `every event is handled before the first event's caller continues`() throws {
        let recorder = Recorder()
        try recorder.add(2)
        try recorder.add(3)
        #expect(recorder.log == ["begin 2", "end 2", "begin 3", "end 3"])
    }

    @Test func `an error reaches the caller that added the event`() throws {
        let recorder = Recorder()
        #expect(throws: TestProblem.self) { try recorder.add(4) }
        #expect(recorder.log == ["begin 4"])
    }
}
