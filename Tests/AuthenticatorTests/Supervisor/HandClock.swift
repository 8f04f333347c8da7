// SPDX-License-Identifier: Apache-2.0
import Authenticator
import Synchronization

/// Time that passes only when a test says so.
final class HandClock: Sendable {
    private struct State {
        var moment = ContinuousClock.now
        /// Seconds since 1970, by a clock that can be set.
        var wall = 1_795_244_100
        var waiting: [(due: ContinuousClock.Instant, body: @Sendable () -> Void)] = []
    }

    private let state = Mutex(State())
    /// After how long somebody wants to be told, each time somebody asks.
    let delays: AsyncStream<Duration>
    private let asked: AsyncStream<Duration>.Continuation

    init() { (delays, asked) = AsyncStream.makeStream() }

    var supervisorClock: SupervisorClock {
        SupervisorClock(
            now: { self.state.withLock { $0.wall } }, moment: { self.state.withLock { $0.moment } },
            after: { delay, body in
                self.state.withLock { $0.waiting.append(($0.moment.advanced(by: delay), body)) }
                self.asked.yield(delay)
            })
    }

    /// Somebody sets the clock; no time passes.
    func setWall(by seconds: Int) { state.withLock { $0.wall += seconds } }

    /// Lets time pass and what is due happen.
    func pass(_ duration: Duration) {
        let due = state.withLock { state in
            state.moment = state.moment.advanced(by: duration)
            let due = state.waiting.filter { $0.due <= state.moment }
            state.waiting.removeAll { $0.due <= state.moment }
            return due
        }
        for entry in due { entry.body() }
    }
}
