// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import Testing

/// The account changes that one client is told about (rule CUR-6), including after a crash between telling and
/// clearing.
@Suite struct AccountTombstoneTests {
    private var tombstones = AccountTombstones([])

    private func epoch(_ counter: UInt64) -> Epoch {
        var random = Zeros()
        return Epoch(random: &random, counter: counter)
    }

    /// Returns the previous account that is reported to a client while `current` is signed in, and records this report.
    private mutating func receive(_ current: String?, in counter: UInt64) -> String? {
        defer { if let current { _ = tombstones.tell(current, in: epoch(counter)) } }
        return tombstones.previous(current: current)
    }

    private mutating func expectEvent(
        _ current: String?, in counter: UInt64, of previous: String?, at location: SourceLocation = #_sourceLocation
    ) {
        let heard = receive(current, in: counter)
        #expect(heard == previous, sourceLocation: location)
    }

    private mutating func expectAcknowledged(
        _ expected: Bool, _ account: String, in counter: UInt64, at location: SourceLocation = #_sourceLocation
    ) {
        let changed = tombstones.acknowledge(account, in: epoch(counter))
        #expect(changed == expected, sourceLocation: location)
    }

    @Test mutating func `a client that saw no worker is not told of a former one`() {
        expectEvent("amara", in: 2, of: nil)
        expectEvent("amara", in: 2, of: "amara")
    }

    @Test mutating func `a worker who left is reported until the client acknowledges it`() {
        _ = receive("amara", in: 2)
        expectEvent(nil, in: 3, of: "amara")
        expectEvent(nil, in: 3, of: "amara")
        expectAcknowledged(true, "amara", in: 3)
        expectEvent(nil, in: 3, of: nil)
    }

    @Test mutating func `a change may be acknowledged when the next worker is signed in`() {
        _ = receive("amara", in: 2)
        expectEvent(nil, in: 3, of: "amara")
        expectAcknowledged(true, "amara", in: 3)
        expectEvent("bo", in: 4, of: nil)
    }

    @Test mutating func `an acknowledgement of an earlier change does not cover what the client saw later`() {
        _ = receive("amara", in: 2)
        expectEvent(nil, in: 3, of: "amara")
        // Amara has come back, and the app gets a token before it acknowledges the earlier change.
        _ = tombstones.tell("amara", in: epoch(4), byQuery: false)
        expectAcknowledged(false, "amara", in: 3)
        expectEvent(nil, in: 5, of: "amara")
        expectAcknowledged(true, "amara", in: 5)
    }

    @Test mutating func `a worker whose departure was acknowledged is new when they come back`() {
        _ = receive("amara", in: 2)
        expectEvent(nil, in: 3, of: "amara")
        expectAcknowledged(true, "amara", in: 3)
        expectEvent("amara", in: 4, of: nil)
    }

    @Test mutating func `after a direct change from one worker to the next, the client is told of the former one`() {
        _ = receive("amara", in: 2)
        expectEvent("bo", in: 4, of: "amara")
        expectAcknowledged(true, "amara", in: 4)
        expectEvent("bo", in: 4, of: "bo")
    }

    @Test mutating func `two changes that a client missed are reported one after the other`() {
        _ = receive("amara", in: 2)
        _ = receive("bo", in: 4)
        expectEvent(nil, in: 5, of: "amara")
        expectAcknowledged(true, "amara", in: 5)
        expectEvent(nil, in: 5, of: "bo")
        expectAcknowledged(true, "bo", in: 5)
        expectEvent(nil, in: 5, of: nil)
    }

    @Test mutating func `a worker who returned does not hide the one who was signed in meanwhile`() {
        tombstones = AccountTombstones([
            AccountTombstone(homeAccountID: "bo", epoch: epoch(2), endedAt: 7),
            AccountTombstone(homeAccountID: "amara", epoch: epoch(4), isReported: false, endedAt: 8),
        ])
        expectEvent("bo", in: 6, of: "amara")
        expectEvent("bo", in: 6, of: "amara")
        expectAcknowledged(true, "amara", in: 6)
        expectEvent("bo", in: 6, of: "bo")
    }

    @Test mutating func `an account that the app removed stays removed for the epoch, and is still reported`() {
        _ = receive("amara", in: 2)
        let isNew = tombstones.setRemoved(true, "amara", in: epoch(2))
        let isNewAgain = tombstones.setRemoved(true, "amara", in: epoch(2))
        #expect(isNew && !isNewAgain && tombstones.isRemoved("amara", in: epoch(2)))
        expectEvent("amara", in: 2, of: "amara")
        let isTold = tombstones.tell("amara", in: epoch(2), byQuery: false)
        #expect(!isTold && tombstones.isRemoved("amara", in: epoch(2)))
        // A later session of the same worker is not affected.
        #expect(!tombstones.isRemoved("amara", in: epoch(4)))
        let isBack = tombstones.setRemoved(false, "amara", in: epoch(2))
        #expect(isBack && !tombstones.isRemoved("amara", in: epoch(2)))
    }

    @Test mutating func `a repeated acknowledgment, or one of another account, changes nothing`() {
        _ = receive("amara", in: 2)
        _ = receive("bo", in: 4)
        expectAcknowledged(true, "amara", in: 4)
        expectAcknowledged(false, "amara", in: 4)
        expectAcknowledged(false, "bo", in: 4)
        expectAcknowledged(false, "amara", in: 5)
        #expect(tombstones.previous(current: "bo") == "bo")
    }

    @Test mutating func `an account that was reported to a client is recorded once, in one line`() {
        let first = tombstones.tell("amara", in: epoch(2))
        let again = tombstones.tell("amara", in: epoch(2))
        // The same worker in a later session, and a worker who left and came back.
        let later = tombstones.tell("amara", in: epoch(4))
        #expect(first && !again && later)
        #expect(tombstones.told == [AccountTombstone(homeAccountID: "amara", epoch: epoch(4))])
        tombstones = AccountTombstones([AccountTombstone(homeAccountID: "amara", epoch: epoch(4), endedAt: 7)])
        let back = tombstones.tell("amara", in: epoch(4))
        #expect(back)
        #expect(tombstones.told == [AccountTombstone(homeAccountID: "amara", epoch: epoch(4))])
    }

    @Test mutating func `a client that only got a token is told of the worker first, and then of the sign-out`() {
        let isNew = tombstones.tell("amara", in: epoch(2), byQuery: false)
        let isNewAgain = tombstones.tell("amara", in: epoch(2), byQuery: false)
        #expect(isNew && !isNewAgain && tombstones.knows("amara", in: epoch(2)))
        expectEvent("amara", in: 2, of: nil)
        // The query has reported Amara; a further token does not change anything.
        let isChanged = tombstones.tell("amara", in: epoch(2), byQuery: false)
        #expect(!isChanged)
        expectEvent("amara", in: 2, of: "amara")
        tombstones = AccountTombstones([
            AccountTombstone(homeAccountID: "amara", epoch: epoch(2), isReported: false, endedAt: 7)
        ])
        #expect(!tombstones.knows("amara", in: epoch(2)))
        expectEvent("bo", in: 4, of: "amara")
    }

    @Test mutating func `after a token in a worker's next session, that worker is also the previous account`() {
        _ = receive("amara", in: 2)
        let isNew = tombstones.tell("amara", in: epoch(4), byQuery: false)
        #expect(isNew)
        expectEvent("amara", in: 4, of: "amara")
    }

    @Test func `a tombstone of an earlier version counts as reported`() throws {
        let text = #"{"homeAccountID": "amara", "epoch": "\#(epoch(2))"}"#
        let read = try JSONDecoder().decode(AccountTombstone.self, from: Data(text.utf8))
        #expect(read.isReported && read == AccountTombstone(homeAccountID: "amara", epoch: epoch(2)))
    }

    @Test mutating func `a client that missed many changes is told of the latest sixteen`() {
        for number in 1...20 { _ = tombstones.tell("worker \(number)", in: epoch(UInt64(number))) }
        #expect(tombstones.told.map(\.homeAccountID) == (5...20).map { "worker \($0)" })
        #expect(tombstones.previous(current: nil) == "worker 5")
    }
}
