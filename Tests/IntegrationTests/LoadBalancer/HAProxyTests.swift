// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Processes
import TestSupport
import Testing

/// Real servers behind a real HAProxy with the documented configuration.
@Suite(.serialized) struct HAProxyTests {
    private static let balancer: [String: any Sendable] = ["addresses": ["127.0.0.1"], "drain": 6]

    @Test(arguments: ["haproxy_certificate", "haproxy_throttle", "haproxy_audit", "haproxy_push"])
    func `certificates, the clients' addresses and push channels pass through HAProxy`(name: String) async throws {
        try await Scratch.with { scratch in
            let health = Int(try #require(FreePort.tcp(in: FreePort.ofTests)))
            let clients = try await ForeignClients(
                [
                    "loadBalancer": Self.balancer, "health": ["port": health],
                    "compatibility": ["passwordGrant": true],
                ], in: scratch)
            let node = LoadBalancerProcess.Node(
                port: clients.server.port, mdmPort: clients.server.mdmPort, healthPort: health)
            let haproxy = try await LoadBalancerProcess([node, node], in: scratch)
            clients.add("balancer", "\(haproxy.port)")
            clients.add("device_balancer", "\(haproxy.devicePort)")
            clients.add("server", "\(try clients.server.pid)")
            try await clients.check("balancer.py", name)
        }
    }

    /// The databases of two nodes: one PostgreSQL database, or a SQLite database each.
    enum Databases: CaseIterable { case shared, separate }

    @Test(.timeLimit(.minutes(5)), arguments: Databases.allCases)
    func `no request of eight clients fails while one of two nodes drains and stops`(
        databases: Databases
    ) async throws {
        try await Scratch.with { scratch in
            let (nodes, health) = try await Self.nodes(databases, in: scratch)
            let haproxy = try await LoadBalancerProcess(
                zip(nodes, health).map { .init(port: $0.port, mdmPort: $0.mdmPort, healthPort: $1) }, in: scratch)
            let roots = try nodes.map { try textOfFile($0.state + "/ca/root.pem") }.joined(separator: "\n")
            let clients = try await RunningProgram.start(
                "/usr/bin/python3",
                [
                    "-u", Repository.root + "/Tests/LoadBalancer/clients.py", "\(haproxy.port)", "login.test",
                    "/organizations/v2.0/.well-known/openid-configuration",
                    try scratch.write(roots, to: "roots.pem"),
                ] + nodes.map { "\($0.port)" }, log: "clients.log", in: scratch)
            let begun = ContinuousClock.now
            let code = try await nodes[0].end(by: SIGTERM)
            let taken = ContinuousClock.now - begun
            #expect(code == 0 && taken >= .seconds(6) && taken < .seconds(30), "\(taken)")
            // The other node serves alone for a while.
            let count = try clients.log().split(separator: "\n").count
            try await FolderWatch(scratch.path).until("more answers") {
                try clients.log().split(separator: "\n").count > count + 3
            }
            #expect(try await clients.stop() == 0)
            let result = try JSONDecoder().decode(
                Result.self, from: Data(try #require(clients.log().split(separator: "\n").last).utf8))
            print("HAProxy: \(result.answers) answers by \(result.nodes), drained in \(taken)")
            #expect(result.failures.isEmpty && result.answers > 500)
            // Both nodes served, and the first node made its clients close their kept connections.
            #expect(Set(result.nodes.keys) == Set(nodes.map { "\($0.port)" }))
            #expect(result.closed > 0)
        }
    }

    private struct Result: Decodable {
        let answers: Int, failures: [String], nodes: [String: Int], closed: Int
    }

    /// Two servers with an organisation, and the ports of their health checks.
    private static func nodes(
        _ databases: Databases, in scratch: Scratch
    ) async throws -> ([ServerProcess], [Int]) {
        let database = databases == .shared ? try await ServerDatabase() : nil
        var nodes: [ServerProcess] = []
        var health: [Int] = []
        for _ in 1...2 {
            let port = Int(try #require(FreePort.tcp(in: FreePort.ofTests)))
            let keys: [String: any Sendable] = ["loadBalancer": balancer, "health": ["port": port]]
            let node = try ServerProcess(database?.keys(besides: keys) ?? keys, in: scratch)
            if database != nil, let first = nodes.first { try node.share(with: first) }
            try await node.start()
            if database == nil || nodes.isEmpty {
                _ = try node.create("tenants", ["displayName": "Contoso", "domain": "contoso.test"])
            }
            nodes.append(node)
            health.append(port)
        }
        return (nodes, health)
    }
}
