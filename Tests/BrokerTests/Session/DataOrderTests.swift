// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import BrokerSupervisor
import Processes
import Testing

/// The order to the agent to take an app's data, and whether it must be given again after the agent's answer.
@Suite struct DataOrderTests {
    private static let eraser: AppEraser = "app:notes"
    private static let app = eraser.bundleID

    private let epoch: Epoch
    private var record = AppProcessRecord(boot: "")
    private var running: Set<ProcessTable.Name> = []

    init() {
        var random = Zeros()
        epoch = SessionMachine.recover(from: nil, keyKept: false, random: &random).0.epoch
    }

    private func order() -> DataOrder {
        DataOrder(
            for: [Self.app], of: epoch, folders: [Self.app: ["/notes"]], dataHolders: [Self.app], until: .zero, record,
            isRunning: running.contains)
    }

    private mutating func start(_ pid: Int32) -> ProcessTable.Name {
        let name = ProcessTable.Name(pid: pid, startTime: 1)
        running.insert(name)
        return name
    }

    @Test mutating func `an app grows by a process that has come and ended since the order`() {
        record.note(start(1), of: Self.app, isRunning: running.contains)
        let first = order()
        #expect(order().grown(since: first) == [])
        let late = start(2)
        record.noteLate(late, of: Self.app, isRunning: running.contains)
        running.remove(late)
        #expect(order().grown(since: first) == [Self.app])
    }

    @Test mutating func `an app grows by a process that must erase again, also if that has ended since the order`() {
        let (hanging, erasing) = (start(1), start(2))
        for process in [hanging, erasing] {
            record.note(process, of: Self.app, isRunning: running.contains)
            let isRegistered = record.register(process, for: Self.eraser, in: epoch, isRunning: running.contains)
            #expect(isRegistered)
        }
        let answer = record.answer(Self.eraser, erasing, hasErased: true, of: epoch, isRunning: running.contains)
        #expect(answer == .awaited)
        let first = order()
        #expect(first.askedData.map(\.processes) == [[hanging]])
        // The agent ends the hanging process, which may have left data since the other process erased the data.
        running.remove(hanging)
        #expect(order().grown(since: first) == [])
        record.askAgain(Self.eraser, of: epoch, isRunning: running.contains)
        running.remove(erasing)
        #expect(order().grown(since: first) == [Self.app])
    }
}
