// SPDX-License-Identifier: Apache-2.0
import DeviceHTTPS
import Foundation
import Glibc
import OAuth
import TestSupport
import Testing

/// Three real nodes behind a real HAProxy on a real PostgreSQL server, two real and fifty simulated devices, while
/// nodes, PostgreSQL and the connections between them fail. The test takes a minute in continuous integration, and ten
/// in `make soak`.
@Suite(.timeLimit(.minutes(20))) struct NodeFaultTests {
    /// Determines the order of faults and requests: `BATON_FAULT_SEED`, or a random number.
    private static let seed =
        ProcessInfo.processInfo.environment["BATON_FAULT_SEED"].flatMap(UInt64.init) ?? .random(in: 0...999_999)
    private static let deviceCount = 50

    @Test func `whatever fails, the nodes keep what they have acknowledged`() async throws {
        print("node faults: BATON_FAULT_SEED=\(Self.seed)")
        try await Scratch.with { scratch in
            let cluster = try await FaultCluster(in: scratch)
            let checker = FaultChecker()
            defer { print(checker.summary) }
            let devices = try await Self.devices(at: cluster, checker)
            let administrators = FaultAdministrators(cluster: cluster, checker: checker, devices: devices)
            var workers = try await Self.workers(at: cluster, checker)
            try await Self.killEachNode(of: cluster, &workers)
            try await Self.run(devices, workers, administrators)
            try await administrators.readBack()
            for fault in Fault.allCases { #expect(checker.faults(fault) > 0, "no \(fault.rawValue)") }
            #expect(checker.violations.isEmpty, "\(checker.violations.map(\.description).joined(separator: "\n"))")
            let pushes = checker.pushes.sorted()
            #expect(pushes.count >= 3)
            // In continuous integration, other tests share the processors.
            let judged = Soak.isRunning ? pushes.last : pushes.dropFirst(pushes.count / 2).first
            #expect(judged ?? .seconds(10) < .seconds(1), "\(FaultRule.budget.rawValue): \(pushes)")
        }
    }

    /// Joins and enrolls the simulated devices.
    private static func devices(at cluster: FaultCluster, _ checker: FaultChecker) async throws -> [SimulatedDevice] {
        let server = IdentityClient(
            https: try cluster.client(), loginURL: cluster.loginURL, tenant: cluster.tenant)
        let scope = WellKnownApplication.deviceRegistration + Scopes.defaultSuffix
        let token = try await SimulatedSignIn(
            cluster: cluster, server: server, user: "carol@\(FaultCluster.domain)"
        ).tokens(scopes: [Scopes.openID, scope]).string(ReplyName.accessToken)
        return try await withThrowingTaskGroup(of: SimulatedDevice.self) { group in
            for number in 1...deviceCount {
                group.addTask {
                    try await SimulatedDevice(number: number, with: token, at: cluster, checker: checker)
                }
            }
            return try await group.reduce(into: [SimulatedDevice]()) { $0.append($1) }.sorted { $0.name < $1.name }
        }
    }

    /// Starts two real devices.
    private static func workers(at cluster: FaultCluster, _ checker: FaultChecker) async throws -> [RealWork] {
        try await RealDevice.registerContent(at: cluster)
        return try await withThrowingTaskGroup(of: RealWork.self) { group in
            for number in 1...2 {
                group.addTask {
                    try RealWork(
                        try await RealDevice(named: "real-\(number)", at: cluster), checker: checker,
                        random: SeededGenerator(seed &+ 4000 &+ UInt64(number)))
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Each node dies once. The sessions of the workers on the real devices continue at another node.
    private static func killEachNode(of cluster: FaultCluster, _ workers: inout [RealWork]) async throws {
        var longest = Duration.zero
        for index in workers.indices { try await workers[index].begin() }
        for node in cluster.nodes {
            _ = try await node.server.end(by: SIGKILL)
            for worker in workers { longest = max(longest, try await worker.renews()) }
            try await node.restart()
        }
        print("longest time until a worker's session continued at another node: \(longest)")
        #expect(longest < .seconds(30))
    }

    /// Lets everybody work while faults happen, and then until every device has settled.
    private static func run(
        _ devices: [SimulatedDevice], _ workers: [RealWork], _ administrators: FaultAdministrators
    ) async throws {
        let checker = administrators.checker
        try await withThrowingTaskGroup(of: Void.self) { channels in
            for (number, device) in devices.enumerated() {
                channels.addTask { await device.holdPush(SeededGenerator(seed &+ 1000 &+ UInt64(number))) }
            }
            defer { channels.cancelAll() }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, device) in devices.enumerated() {
                    group.addTask {
                        var work = SimulatedWork(device, random: SeededGenerator(seed &+ 2000 &+ UInt64(number)))
                        try await work.run()
                    }
                }
                for worker in workers {
                    group.addTask {
                        var worker = worker
                        try await worker.run()
                    }
                }
                try await administer(administrators)
                checker.end()
                try await group.waitForAll()
            }
        }
    }

    /// Lets administrators work while faults happen.
    private static func administer(_ administrators: FaultAdministrators) async throws {
        try await withThrowingTaskGroup { group in
            for number in 0..<3 {
                group.addTask {
                    try await administrators.run(number: number, SeededGenerator(seed &+ 3000 &+ UInt64(number)))
                }
            }
            var injector = FaultInjector(
                cluster: administrators.cluster, checker: administrators.checker,
                time: Soak.isRunning ? .seconds(600) : .seconds(60),
                stop: Soak.isRunning ? .seconds(20) : .seconds(5),
                interval: Soak.isRunning ? .seconds(90) : .seconds(25),
                measure: { try await administrators.measure(10) }, random: SeededGenerator(seed))
            try await injector.run()
            administrators.checker.close()
            try await group.waitForAll()
        }
    }
}
