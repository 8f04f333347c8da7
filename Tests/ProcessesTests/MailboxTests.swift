// SPDX-License-Identifier: Apache-2.0
import Glibc
import Processes
import Synchronization
import TestSupport
import Testing

@Suite struct MailboxTests {
    private final class Count: Sendable {
        let value = Atomic(0)
    }

    @Test func `messages are delivered in the order in which they were posted, however posts and takes mix`()
        async throws
    {
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

    @Test func `the waiting messages of one sender are limited, and do not delay others`() async throws {
        let mailbox = Mailbox<Int>()
        let posted = Count()
        try BlockingThread.start { [intake = mailbox.intake(capacity: 2)] in
            for number in 1...100 {
                intake.post(number)
                posted.value.store(number, ordering: .sequentiallyConsistent)
            }
            mailbox.post(-1)
        }
        let most = try await blocking {
            var most = 0
            while true {
                mailbox.post(0)
                let taken = mailbox.take()
                guard taken >= 0 else { return most }
                if taken > 0 { most = max(most, posted.value.load(ordering: .sequentiallyConsistent) - taken) }
            }
        }
        // The two messages that may wait, and the message that this take has admitted.
        #expect(most <= 3)
    }

    @Test func `a long queue is emptied in a time proportional to its length`() async throws {
        let (short, long) = try await blocking { (Self.time(for: 5_000), Self.time(for: 100_000)) }
        // The long queue is twenty times as long. If each take moved the remaining messages, it would take four hundred
        // times as long.
        #expect(long < short * 100)
    }

    /// Returns the shortest of three times for filling and emptying a queue of this length, in nanoseconds of CPU time.
    private static func time(for length: Int) -> Int {
        let mailbox = Mailbox<Int>()
        let times = (0..<3).map { _ in
            let start = now
            for number in 0..<length { mailbox.post(number) }
            for _ in 0..<length { _ = mailbox.take() }
            return now - start
        }
        return times.min() ?? 0
    }

    private static var now: Int {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
