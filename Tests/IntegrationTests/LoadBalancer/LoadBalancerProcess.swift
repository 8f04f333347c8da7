// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Processes
import TestSupport
import Testing

/// A real HAProxy with the configuration that `docs/operations/load-balancer.md` recommends. Only the addresses, the
/// ports, the list of nodes, the number of connections and, unless root runs the tests, the user are replaced.
struct LoadBalancerProcess {
    /// The port of the main listener, and of the devices' listener.
    let (port, devicePort): (Int, Int)
    /// The port of the HTTPS interface of administration.
    let administrationPort: Int

    /// A server behind the load balancer.
    struct Node {
        var address = "127.0.0.1"
        let port, mdmPort, healthPort: Int
        /// The port of the HTTPS interface of administration; nil for a server without this interface.
        var administrationPort: Int?
    }

    /// A listener of a node.
    private enum Listener: String, CaseIterable {
        case main = "443"
        case devices = "8444"
        case administration = "8445"

        func port(of node: Node) -> Int {
            switch self {
            case .main: node.port
            case .devices: node.mdmPort
            // Without the interface, nothing is sent there.
            case .administration: node.administrationPort ?? node.port
            }
        }
    }

    /// The loopback address at which a load balancer passes everything to the node with this index.
    static func address(ofNode index: Int) -> String { "127.0.1.\(index + 1)" }

    /// Starts HAProxy on 127.0.0.1 in front of nodes.
    ///
    /// - Parameter ports: the ports of both listeners. HAProxy then also listens on these ports at an address for each
    ///   node (``address(ofNode:)``). Nil for free ports, without these addresses.
    init(_ nodes: [Node], ports: (main: Int, devices: Int)? = nil, in scratch: Scratch) async throws {
        let chosen = try ports ?? (main: Self.freePort(), devices: Self.freePort())
        (port, devicePort) = (chosen.main, chosen.devices)
        administrationPort = try Self.freePort()
        var text = try Self.documented()
        func replace(_ old: String, _ new: String) throws {
            let parts = text.components(separatedBy: old)
            guard parts.count == 2 else {
                throw TestProblem("the documented configuration has \(parts.count - 1) \(old)")
            }
            text = parts.joined(separator: new)
        }
        try replace("bind :443", "bind 127.0.0.1:\(port)")
        try replace("bind :8444", "bind 127.0.0.1:\(devicePort)")
        try replace("bind :8445", "bind 127.0.0.1:\(administrationPort)")
        for listener in Listener.allCases {
            try replace(
                """
                    server node1 192.0.2.21:\(listener.rawValue) port 8446
                    server node2 192.0.2.22:\(listener.rawValue) port 8446
                """,
                nodes.indices.map { Self.server($0, nodes[$0], listener) }.joined(separator: "\n"))
        }
        if ports != nil {
            for (index, node) in nodes.enumerated() {
                for (port, listener) in [(port, Listener.main), (devicePort, .devices)] {
                    text += """

                        listen only\(index)-\(port)
                            bind \(Self.address(ofNode: index)):\(port)
                        \(Self.server(index, node, listener))

                        """
                }
            }
        }
        // The tests' limit of open files may be too low for more.
        try replace("maxconn 20000", "maxconn 1000")
        if geteuid() != 0 {
            for line in ["    user haproxy\n", "    group haproxy\n"] { try replace(line, "") }
        }
        let program = "/usr/sbin/haproxy"
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw TestProblem("\(program) is missing: run scripts/setup")
        }
        _ = try await RunningProgram.start(
            program, ["-Ws", "-f", try scratch.write(text, to: "haproxy.cfg")], log: "haproxy.log", in: scratch)
    }

    static func freePort() throws -> Int {
        guard let port = FreePort.tcp(in: FreePort.ofTests) else { throw TestProblem("no port is free") }
        return Int(port)
    }

    /// The line of a node in the list of a backend.
    private static func server(_ index: Int, _ node: Node, _ listener: Listener) -> String {
        "    server node\(index + 1) \(node.address):\(listener.port(of: node)) port \(node.healthPort)"
    }

    /// The configuration in the page.
    private static func documented() throws -> String {
        let page = try textOfFile(Repository.root + "/docs/operations/load-balancer.md")
        let blocks = page.components(separatedBy: "```")
        return try #require(blocks.first { $0.hasPrefix("haproxy\n") }).replacing(
            "haproxy\n", with: "", maxReplacements: 1)
    }
}
