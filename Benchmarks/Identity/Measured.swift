// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc

/// The duration of a measurement and the number of concurrent clients.
struct Load: Sendable {
    let seconds: Int
    let clients: Int

    /// Has each client repeat `operation` until the time is over, and records the duration of each repetition.
    ///
    /// - Parameter prepare: makes the state with which a client starts; not measured.
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

    /// The time that this process has used on all cores, in seconds.
    private static var processorSeconds: Double {
        var usage = rusage()
        guard unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return .nan }
        return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    }
}

/// The result of a load.
struct Measured: Sendable {
    /// Seconds of each operation, the shortest first.
    let times: [Double]
    let elapsed: Double
    /// Processor time of all cores together, in seconds.
    let processor: Double

    var perSecond: Double { Double(times.count) / elapsed }
    var perCore: Double { Double(times.count) / processor }
    var median: Double { percentile(50) }

    func percentile(_ percent: Int) -> Double {
        times.isEmpty ? .nan : times[min(times.count - 1, times.count * percent / 100)]
    }

    /// One line of the table. With a limit, it contains the share of it that one core reaches; each operation needs
    /// `count` operations of the limit.
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
