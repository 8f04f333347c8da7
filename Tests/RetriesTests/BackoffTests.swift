// SPDX-License-Identifier: Apache-2.0
import Retries
import Testing

@Suite struct BackoffTests {
    @Test func `pauses double up to their limit, and begin anew after a success`() {
        var backoff = Backoff(from: .milliseconds(100), to: .seconds(5), success: .seconds(10))
        let short = Duration.seconds(9)
        let pauses = (0..<8).map { _ in backoff.next(after: short) }
        #expect(pauses == [100, 200, 400, 800, 1600, 3200, 5000, 5000].map { .milliseconds($0) })
        #expect((0..<1000).allSatisfy { _ in backoff.next(after: short) == .seconds(5) })
        #expect(backoff.next(after: .seconds(10)) == .milliseconds(100))
        #expect(backoff.next() == .milliseconds(200))
        backoff.reset()
        #expect(backoff.next() == .milliseconds(100))
    }

    @Test func `the first attempt after a success can be immediate`() {
        var backoff = Backoff(
            from: .milliseconds(10), to: .milliseconds(25), isFirstImmediate: true, success: .seconds(1))
        #expect((0..<5).map { _ in backoff.next() } == [0, 10, 20, 25, 25].map { .milliseconds($0) })
        #expect(backoff.next(after: .seconds(1)) == .zero)
        #expect(backoff.next() == .milliseconds(10))
    }

    @Test func `no pause is longer than the limit, even if the first one would be`() {
        var backoff = Backoff(from: .milliseconds(10), to: .milliseconds(2))
        #expect(
            (0..<3).map { _ in backoff.next(after: .seconds(1_000_000)) }
                == Array(repeating: .milliseconds(2), count: 3))
    }

    @Test func `a pause is spread between its half and all of it`() {
        #expect([0, 0.5, 1].map { Duration.seconds(4).spread($0) } == [2, 3, 4].map { .seconds($0) })
    }
}
