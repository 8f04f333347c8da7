// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc

/// How long and by how many clients at once something is asked.
struct Load: Sendable {
    let seconds: Int
    let clients: Int

    /// Lets each client repeat `operation` until the time is over; what each took is kept.
    ///
    /// - Parameter prepare: makes what one client starts with; not measured.
    func run<State: Sendable>(
        _ prepare: @Sendable (Int) async throws -> State,
        _ operation: @escaping @Sendable (State) async throws -> State
    ) async throws -> Measured {
        var states: [State] = []
        for number in 0..<clients { states.append(try await prepare(number)) }
        let begin = ContinuousClock.now
        let processor = Self.processorSeconds
        let end = begin + .seconds(seconds)
        let times = try await withThrowingTaskGroup(of: [Double].self) { group in
            for state in states {
                group.addTask {
                    var state = state
                    var times: [Double] = []
                    while ContinuousClock.now < end {
                        let start = ContinuousClock.now
                        state = try await operation(state)
                        times.append(start.duration(to: .now).inSeconds)
                    }
                    return times
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        return Measured(
            times: times.sorted(), elapsed: begin.duration(to: .now).inSeconds,
            processor: Self.processorSeconds - processor)
    }

    /// What this process has used of all cores, in seconds.
    private static var processorSeconds: Double {
        var usage = rusage()
        guard unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return .nan }
        return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    }
}

/// What a load gave.
struct Measured: Sendable {
    /// Seconds of each operation, the shortest first.
    let times: [Double]
    let elapsed: Double
    /// Seconds of all cores together.
    let processor: Double

    var perSecond: Double { Double(times.count) / elapsed }
    var perCore: Double { Double(times.count) / processor }
    var median: Double { percentile(50) }

    func percentile(_ percent: Int) -> Double {
        times.isEmpty ? .nan : times[min(times.count - 1, times.count * percent / 100)]
    }

    /// One line of the table; with a limit, what part of it one core reaches where each operation needs `count` of it.
    func row(_ name: String, against limit: Measured? = nil, per count: Double = 1) -> String {
        let share = limit.map { " \(Int((100 * perCore * count / $0.perCore).rounded())) % of the limit |" } ?? ""
        let figures = [
            "\(Int(perSecond.rounded()))", "\(Int(perCore.rounded()))", Self.text(median * 1000) + " ms",
            Self.text(percentile(99) * 1000) + " ms",
        ]
        return "| \(name) | \(figures.joined(separator: " | ")) |\(share)"
    }

    static func text(_ number: Double) -> String { "\((number * 100).rounded() / 100)" }
}

extension Duration {
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
