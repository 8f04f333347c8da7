// SPDX-License-Identifier: Apache-2.0
import Glibc
import Processes
import Testing

@Suite struct ProcessAncestryTests {
    private typealias Entry = ProcessTable.Entry

    private func entry(_ pid: Int32, _ parent: Int32, start: UInt64, isZombie: Bool = false) -> Entry {
        Entry(pid: pid, parent: parent, group: pid, isZombie: isZombie, startTime: start)
    }

    private func isStarted(_ pid: Int32, by ancestor: Entry, in table: [Entry]) -> Bool {
        ProcessAncestry.isStarted(pid, by: ancestor.name) { pid in table.first { $0.pid == pid } }
    }

    @Test func `a process counts as started by each process of its chain, but not by itself`() {
        let (agent, browser, host) = (entry(10, 1, start: 5), entry(20, 10, start: 7), entry(30, 20, start: 7))
        let table = [entry(1, 0, start: 0), agent, browser, host]
        #expect(isStarted(30, by: agent, in: table) && isStarted(30, by: browser, in: table))
        #expect(isStarted(20, by: agent, in: table))
        #expect(!isStarted(10, by: agent, in: table) && !isStarted(20, by: host, in: table))
        #expect(!isStarted(31, by: agent, in: table))
    }

    @Test func `a reused process number belongs to no chain`() {
        let agent = entry(10, 1, start: 5)
        let reused = entry(10, 1, start: 50)
        #expect(!isStarted(20, by: agent, in: [reused, entry(20, 10, start: 7)]))
        #expect(!isStarted(20, by: reused, in: [reused, entry(20, 10, start: 7)]))
        #expect(!isStarted(30, by: agent, in: [agent, entry(20, 10, start: 60), entry(30, 20, start: 8)]))
    }

    @Test func `a chain that is broken, contains a dead process, or is endless or too long is refused`() {
        let agent = entry(10, 1, start: 5)
        #expect(!isStarted(30, by: agent, in: [agent, entry(30, 20, start: 8)]))
        #expect(!isStarted(30, by: agent, in: [agent, entry(30, 1, start: 8), entry(1, 0, start: 0)]))
        #expect(!isStarted(30, by: agent, in: [agent, entry(30, 10, start: 8, isZombie: true)]))
        #expect(
            !isStarted(30, by: agent, in: [agent, entry(20, 10, start: 7, isZombie: true), entry(30, 20, start: 8)]))
        #expect(!isStarted(30, by: agent, in: [agent, entry(20, 30, start: 8), entry(30, 20, start: 8)]))
        #expect(!isStarted(30, by: agent, in: [agent, entry(30, 30, start: 8)]))
        let long = (100..<140).map { entry($0, $0 == 100 ? 10 : $0 - 1, start: 8) }
        #expect(isStarted(120, by: agent, in: [agent] + long) && !isStarted(139, by: agent, in: [agent] + long))
    }

    @Test func `a process that was replaced while its chain was read is rejected`() {
        let agent = entry(10, 1, start: 5)
        var looks = 0
        let isStarted = ProcessAncestry.isStarted(30, by: agent.name) { pid in
            guard pid == 30 else { return agent }
            looks += 1
            return entry(30, 10, start: looks == 1 ? 8 : 9)
        }
        #expect(!isStarted && looks == 2)
    }

    @Test func `the chain of a real process is followed`() throws {
        let child = try ChildProcess.spawn(
            executable: "/bin/sleep", arguments: ["600"], environment: [:], output: .discarded)
        defer {
            child.kill()
            _ = try? child.waitForExit()
        }
        let own = try #require(try ProcessTable.entry(getpid()))
        let sleeping = try #require(try ProcessTable.entry(child.pid))
        #expect(ProcessAncestry.isStarted(child.pid, by: own.name))
        #expect(!ProcessAncestry.isStarted(getpid(), by: sleeping.name))
        #expect(ProcessAncestry.handle(of: child.pid, startedBy: own.name) != nil)
        #expect(ProcessAncestry.handle(of: getpid(), startedBy: sleeping.name) == nil)
        #expect(ProcessAncestry.handle(of: 0, startedBy: own.name) == nil)
    }
}
