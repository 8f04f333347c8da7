// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import BrokerSupervisor
import DeviceSettings
import SessionIPC
import Synchronization
import Testing
import UnixSocket

/// How app connections wait for the session process.
@Suite struct WaitingConnectionsTests {
    private let wakes = Count()

    private final class Count: Sendable {
        let value = Atomic(0)
        var now: Int { value.load(ordering: .relaxed) }
    }

    private func waiting() -> WaitingConnections {
        WaitingConnections { [wakes] in wakes.value.add(1, ordering: .relaxed) }
    }

    private func offer(_ process: Int32, to waiting: WaitingConnections) throws {
        let (left, _) = try FrameConnection.pair(maximumFrame: 16)
        _ = waiting.offer(left.descriptor, PeerRecord(pid: process, uid: 1000, identity: .session))
    }

    @Test func `each process gets its turn, however many connections of another process are waiting`() throws {
        let waiting = waiting()
        for process in [1, 1, 1, 2, 1, 3] as [Int32] { try offer(process, to: waiting) }
        var order: [Int32] = []
        while let next = waiting.next() { order.append(next.peer.pid) }
        #expect(order == [1, 2, 3, 1, 1, 1])
    }

    @Test func `the supervisor is woken once for all waiting connections, and again while any are left`() throws {
        let waiting = waiting()
        for _ in 0..<3 { try offer(1, to: waiting) }
        #expect(wakes.now == 1)
        _ = waiting.next()
        #expect(wakes.now == 2)
        _ = waiting.next()
        _ = waiting.next()
        #expect(wakes.now == 3 && waiting.next() == nil && wakes.now == 3)
    }

    @Test func `pending connections fit into a socket, and a new process begins with none`() throws {
        let waiting = waiting()
        waiting.begin(7)
        for process in 1...40 as ClosedRange<Int32> { try offer(process, to: waiting) }
        for _ in 0..<32 { #expect(waiting.next() != nil) }
        #expect(waiting.next() == nil)
        // The connections are being sent to process 7, not to process 6.
        waiting.taken(by: 6)
        #expect(waiting.next() == nil)
        waiting.taken(by: 7)
        #expect(waiting.next() != nil && waiting.next() == nil)
        waiting.begin(8)
        #expect(waiting.next() != nil)
    }
    @Test func `a new process gets all that fit into its socket at once, and nothing is passed on before`() throws {
        let waiting = waiting()
        for process in 1...40 as ClosedRange<Int32> { try offer(process, to: waiting) }
        #expect(waiting.all().isEmpty)
        waiting.begin(7)
        #expect(waiting.all().map { $0.peer.pid } == Array(1...32 as ClosedRange<Int32>))
        #expect(waiting.all().isEmpty)
        waiting.taken(by: 7)
        #expect(waiting.next()?.peer.pid == 33 && waiting.next() == nil)
    }
}
