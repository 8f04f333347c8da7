// SPDX-License-Identifier: Apache-2.0
import Glibc

/// How long an operation is repeated, and by how many clients at once.
struct Load: Sendable {
    let seconds: Int
    let clients: Int

    /// How many of `size` users or devices an operation uses: enough to be spread over the tables.
    static func sampleSize(of size: Int) -> Int { min(size, 100) }

    /// Lets each client repeat `operation` until the time is over. The repetitions of the first half second warm up.
    ///
    /// - Parameter prepare: makes the state that one client starts with; the time for this is not measured.
    func run<State: Sendable>(
        _ prepare: @Sendable (Int) async throws -> State,
        _ operation: @escaping @Sendable (State) async throws -> State
    ) async throws -> Measured {
        var states: [State] = []
        for number in 0..<clients { states.append(try await prepare(number)) }
        (states, _) = try await Self.repeated(operation, from: states, for: .milliseconds(500))
        let begin = ContinuousClock.now
        let processor = ProcessorTime.now
        let times = try await Self.repeated(operation, from: states, for: .seconds(seconds)).times
        return Measured(
            times: times.sorted(), elapsed: begin.duration(to: .now).inSeconds,
            processor: ProcessorTime.now - processor)
    }

    /// Repeats the operations in turns, one client at a time, so that all of them run under the same conditions.
    func inTurns(_ operations: [() async throws -> Void]) async throws -> [Measured] {
        // Warms up.
        for operation in operations { try await operation() }
        var times = operations.map { _ in [Double]() }
        var processor = operations.map { _ in 0.0 }
        let end = ContinuousClock.now + .seconds(seconds * operations.count)
        repeat {
            for (index, operation) in operations.enumerated() {
                let (start, used) = (ContinuousClock.now, ProcessorTime.now)
                try await operation()
                times[index].append(start.duration(to: .now).inSeconds)
                processor[index] += ProcessorTime.now - used
            }
        } while ContinuousClock.now < end
        return zip(times, processor).map { times, processor in
            Measured(times: times.sorted(), elapsed: times.reduce(0, +), processor: processor)
        }
    }

    private static func repeated<State: Sendable>(
        _ operation: @escaping @Sendable (State) async throws -> State, from states: [State], for duration: Duration
    ) async throws -> (states: [State], times: [Double]) {
        let end = ContinuousClock.now + duration
        return try await withThrowingTaskGroup(of: (State, [Double]).self) { group in
            for state in states {
                group.addTask {
                    var state = state
                    var times: [Double] = []
                    repeat {
                        let start = ContinuousClock.now
                        state = try await operation(state)
                        times.append(start.duration(to: .now).inSeconds)
                    } while ContinuousClock.now < end
                    return (state, times)
                }
            }
            return try await group.reduce(into: ([], [])) { all, client in
                all.0.append(client.0)
                all.1 += client.1
            }
        }
    }
}

/// The measurements of one load.
struct Measured: Sendable {
    /// The duration of each operation in seconds, the shortest first.
    let times: [Double]
    let elapsed: Double
    /// The processor time of all cores together, in seconds.
    let processor: Double

    var perSecond: Double { Double(times.count) / elapsed }
    var perCoreSecond: Double { Double(times.count) / processor }

    func percentile(_ percent: Int) -> Double {
        times.isEmpty ? .nan : times[min(times.count - 1, times.count * percent / 100)]
    }
}

/// The processor time that this process has used on all cores.
enum ProcessorTime {
    /// The time in seconds, to the microsecond.
    static var now: Double { Double(clock()) / Double(CLOCKS_PER_SEC) }
}

extension Duration {
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
