// SPDX-License-Identifier: Apache-2.0
import Processes
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct MailboxTests {
    @Test func `messages come out in the order in which they went in, however takes and posts mix`() async throws {
        let mailbox = Mailbox<Int>()
        let taken = try await blocking {
            var taken: [Int] = []
            var posted = 0
            for round in 1...50 {
                for _ in 0..<round {
                    mailbox.post(posted)
                    posted += 1
                }
                for _ in 0..<(round + 1) / 2 { taken.append(mailbox.take()) }
            }
            while taken.count < posted { taken.append(mailbox.take()) }
            return taken
        }
        #expect(taken == Array(0..<1275))
    }

    // A queue that moves what is left at every take needs many minutes for this.
    @Test func `a long queue is emptied in a time that grows with its length alone`() async throws {
        let mailbox = Mailbox<[UInt64]>()
        let last = try await blocking {
            for number in 0..<1_000_000 as Range<UInt64> { mailbox.post([number]) }
            var last: [UInt64] = []
            for _ in 0..<1_000_000 { last = mailbox.take() }
            return last
        }
        #expect(last == [999_999])
    }
}
