// SPDX-License-Identifier: Apache-2.0
import BrokerSession
import Synchronization
import TestSupport
import Testing

/// If the device's proof cannot be made in time, the sign-in continues without it, and the log says why.
@Suite struct PageProofTests {
    private struct Trouble: Error {}

    /// A clock whose sleeps end only when a test ends them.
    private final class HeldClock: Clock {
        let asked = Mutex<[Duration]>([])
        private let (ends, end) = AsyncStream.makeStream(of: Void.self)
        private let start = ContinuousClock.now

        var now: ContinuousClock.Instant { start }
        var minimumResolution: Duration { .zero }

        func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
            asked.withLock { $0.append(start.duration(to: deadline)) }
            for await _ in ends { return }
            throw CancellationError()
        }

        func letTimeEnd() { end.yield() }
    }

    /// Waits until it is cancelled.
    @Sendable private static func silence() async throws -> String {
        for await _ in AsyncStream<Void>.makeStream().stream {}
        throw CancellationError()
    }

    @Test func `a proof that is made in time is used, and nothing is logged`() async {
        let (clock, log) = (HeldClock(), LogLines())
        #expect(await PageProof(clock: clock, logger: log.logger) { "proof" }.text() == "proof")
        #expect(log.lines.isEmpty)
    }

    @Test func `a proof that cannot be made is left out, and the log says why`() async {
        let (clock, log) = (HeldClock(), LogLines())
        #expect(await PageProof(clock: clock, logger: log.logger) { throw Trouble() }.text() == nil)
        #expect(log.lines == ["notice sign-in page without the device's proof error=Trouble()"])
    }

    @Test func `a proof is awaited for five seconds at most`() async {
        let (clock, log) = (HeldClock(), LogLines())
        clock.letTimeEnd()
        #expect(await PageProof(clock: clock, logger: log.logger, make: Self.silence).text() == nil)
        #expect(clock.asked.withLock { $0 } == [.seconds(5)])
        #expect(log.lines == ["notice sign-in page without the device's proof error=none within 5 seconds"])
    }
}
