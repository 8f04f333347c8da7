// SPDX-License-Identifier: Apache-2.0
import BrokerSession
import Processes
import Synchronization
import Testing

@Suite struct LoopbackOwnerTests {
    /// A connection that waits until the browser's user is known.
    private final class FrameConnection: Sendable {
        let told = Mutex<[UInt32?]>([])
        var id: ObjectIdentifier { ObjectIdentifier(self) }
        func waits(for owner: LoopbackOwner) { owner.tell(id) { user in self.told.withLock { $0.append(user) } } }
    }

    @Test func `a connection that is closed while it waits is released at once, without an answer`() {
        let promise = Promise<UInt32>()
        let owner = LoopbackOwner(promise)
        let (stays, leaves) = (FrameConnection(), FrameConnection())
        stays.waits(for: owner)
        leaves.waits(for: owner)
        weak let released: FrameConnection?
        do {
            let gone = FrameConnection()
            gone.waits(for: owner)
            released = gone
            owner.leave(gone.id)
        }
        #expect(released == nil)
        owner.leave(leaves.id)
        promise.settle(.success(1000))
        #expect(leaves.told.withLock(\.self) == [])
        #expect(stays.told.withLock(\.self) == [1000])
    }

    @Test func `a peer that leaves after its user is known does not affect later peers`() {
        let owner = LoopbackOwner(.settled(1000))
        let (early, late) = (FrameConnection(), FrameConnection())
        early.waits(for: owner)
        owner.leave(early.id)
        late.waits(for: owner)
        #expect(early.told.withLock(\.self) == [1000])
        #expect(late.told.withLock(\.self) == [1000])
    }
}
