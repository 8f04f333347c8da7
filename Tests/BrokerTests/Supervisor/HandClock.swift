// SPDX-License-Identifier: Apache-2.0
import BrokerSupervisor
import Synchronization

/// A clock that advances only when a test says so.
final class HandClock: Sendable {
    private struct State {
        let start: ContinuousClock.Instant
        var moment: ContinuousClock.Instant
        /// Seconds by which the wall clock was set.
        var set = 0
        var waiting: [(due: ContinuousClock.Instant, body: @Sendable () -> Void)] = []
    }

    private let state: Mutex<State>
    /// The delays of all requested timers, in order.
    let delays: AsyncStream<Duration>
    private let asked: AsyncStream<Duration>.Continuation

    init() {
        let start = ContinuousClock.now
        state = Mutex(State(start: start, moment: start))
        (delays, asked) = AsyncStream.makeStream()
    }

    /// The start time, in seconds since 1970.
    static let began = 1_795_244_100

    var supervisorClock: SupervisorClock {
        SupervisorClock(
            now: {
                self.state.withLock { Self.began + $0.set + Int($0.start.duration(to: $0.moment).components.seconds) }
            },
            moment: { self.state.withLock { $0.moment } },
            after: { delay, body in
                self.state.withLock { $0.waiting.append(($0.moment.advanced(by: delay), body)) }
                self.asked.yield(delay)
            }, sinceBoot: { self.state.withLock { .seconds(1000) + $0.start.duration(to: $0.moment) } })
    }

    /// Sets the wall clock; no time passes.
    func setWall(by seconds: Int) { state.withLock { $0.set += seconds } }

    /// Lets time pass and runs what is due.
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
