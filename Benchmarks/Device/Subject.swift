// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Glibc

/// Something to measure: one call, on this thread or in a task.
struct Subject {
    let name: String
    private let once: (@Sendable () async -> Void)

    init(name: String, _ once: @escaping @Sendable () async -> Void) {
        self.name = name
        self.once = once
    }

    /// Repeats the call and returns the nanoseconds of each repetition.
    fileprivate func times(_ count: Int) async -> [UInt64] {
        var times: [UInt64] = []
        times.reserveCapacity(count)
        for _ in 0..<count {
            let start = ContinuousClock.now
            await once()
            times.append(UInt64(start.duration(to: .now) / .nanoseconds(1)))
        }
        return times
    }
}

extension [Subject] {
    /// Measures the subjects in short turns, so that all of them run under the same conditions.
    func measureInTurns(calls: Int) -> [Figures] {
        let rounds = 40
        var figures = map { Figures(name: $0.name) }
        for round in 0...rounds {
            for (index, subject) in enumerated() {
                let before = Usage.now
                let times = run { await subject.times(Swift.max(1, calls / rounds)) }
                // The first round warms up.
                if round > 0 { figures[index].add(times, Usage.now.since(before)) }
            }
        }
        return figures
    }

    private func run(_ body: @escaping @Sendable () async -> [UInt64]) -> [UInt64] {
        waited { done in Task.detached { done(await body()) } }
    }
}

/// The processor time and context switches of this process so far.
struct Usage {
    var microseconds = 0.0
    var switches = 0

    static var now: Usage {
        var usage = rusage()
        guard unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return Usage() }
        let seconds = [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
        return Usage(microseconds: seconds * 1e6, switches: usage.ru_nvcsw)
    }

    func since(_ before: Usage) -> Usage {
        Usage(microseconds: microseconds - before.microseconds, switches: switches - before.switches)
    }
}

/// The durations and the resource usage of one subject's calls. Printed as one line of JSON.
struct Figures: Encodable {
    let name: String
    /// Nanoseconds of each call.
    private(set) var nanoseconds: [UInt64] = []
    /// The processor time that this process used for all calls together, in microseconds.
    private var processorTime = 0.0
    /// How often threads of this process went to sleep during all calls together.
    private var switches = 0

    init(name: String) { self.name = name }

    mutating func add(_ times: [UInt64], _ usage: Usage) {
        nanoseconds += times
        processorTime += usage.microseconds
        switches += usage.switches
    }
}
