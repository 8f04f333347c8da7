// SPDX-License-Identifier: Apache-2.0
import Glibc
import Processes
import Synchronization
import TestSupport
import Testing

/// The kinds of faults.
enum Fault: String, CaseIterable, Sendable {
    case killNode = "kill -9 of a node"
    case killDatabase = "kill -9 of PostgreSQL"
    case cutConnections = "cut connections between a node and PostgreSQL"
    case stopNode = "SIGSTOP of a node"
}

/// Causes a fault every few seconds. A stopped node stays stopped while further faults happen.
struct FaultInjector: Sendable {
    let cluster: FaultCluster
    let checker: FaultChecker
    let time: Duration
    /// How long a node is stopped.
    let stop: Duration
    /// How often the faults pause so that the time of revocations can be measured.
    let interval: Duration
    /// Measures while no fault is active.
    let measure: @Sendable () async throws -> Void
    var random: SeededGenerator

    /// Causes faults until the time is over. Afterwards every node and PostgreSQL run. A broken promise ends the
    /// faults, because the first broken promises explain the later ones.
    mutating func run() async throws {
        let start = ContinuousClock.now
        var lastMeasure = start
        // Each kind happens at least once.
        var deck = Fault.allCases.shuffled(using: &random)
        while (ContinuousClock.now - start < time && checker.violations.isEmpty) || !deck.isEmpty {
            let round = min(interval, time - (ContinuousClock.now - start))
            try await withThrowingTaskGroup(of: Void.self) { group in
                repeat {
                    let fault = deck.popLast() ?? Fault.allCases.randomElement(using: &random) ?? .killNode
                    try await cause(fault, in: &group)
                    try await Task.sleep(for: random.duration(2000...5000))
                } while (ContinuousClock.now - lastMeasure < round && checker.violations.isEmpty) || !deck.isEmpty
                try await group.waitForAll()
            }
            checker.setQuiet(true)
            for node in cluster.nodes { node.link.cutNextCommit(nil) }
            // A node listens for announcements again after 5 s at most; then it nudges every device that it holds.
            try await Task.sleep(for: .seconds(8))
            try await measure()
            checker.setQuiet(false)
            lastMeasure = .now
        }
    }

    private mutating func cause(_ fault: Fault, in group: inout ThrowingTaskGroup<Void, any Error>) async throws {
        let node = cluster.nodes.filter { !$0.isBusy.withLock(\.self) }.randomElement(using: &random)
        let pause = random.duration(0...2000)
        print("fault: \(fault.rawValue)\(fault == .killDatabase ? "" : " \(node.map { "\($0.index + 1)" } ?? "none")")")
        switch (fault, node) {
        case (.killDatabase, _):
            try await cluster.postgresql.kill()
            try await Task.sleep(for: pause)
            try await cluster.postgresql.start()
        case (_, nil): return
        case (.killNode, let node?):
            node.isBusy.withLock { $0 = true }
            _ = try await node.server.end(by: SIGKILL)
            group.addTask {
                try await Task.sleep(for: pause)
                try await node.restart()
                node.isBusy.withLock { $0 = false }
            }
        case (.cutConnections, let node?):
            switch UInt8.random(in: 0..<3, using: &random) {
            case 0: node.link.cutNextCommit(.before)
            case 1: node.link.cutNextCommit(.after)
            default: node.link.cutAll()
            }
        case (.stopNode, let node?):
            node.isBusy.withLock { $0 = true }
            try node.server.signal(SIGSTOP)
            group.addTask { [stop] in
                try await Task.sleep(for: stop)
                try node.server.signal(SIGCONT)
                node.isBusy.withLock { $0 = false }
            }
        }
        checker.note(fault)
    }
}
