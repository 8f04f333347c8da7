// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Processes
import TestSupport
import Testing

/// A real HAProxy with the configuration that `docs/operations/load-balancer.md` recommends. Only addresses, ports,
/// the number of connections and, for a user other than root, the user are replaced.
struct LoadBalancerProcess {
    /// The port of the main listener, and of the devices' listener.
    let (port, devicePort): (Int, Int)

    /// A server behind the load balancer.
    struct Node {
        let (port, mdmPort, healthPort): (Int, Int, Int)
    }

    /// Starts HAProxy in front of two nodes on 127.0.0.1.
    init(_ first: Node, _ second: Node, in scratch: Scratch) async throws {
        port = Int(try #require(FreePort.tcp(in: FreePort.ofTests)))
        devicePort = Int(try #require(FreePort.tcp(in: FreePort.ofTests)))
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
        for (address, node) in [("192.0.2.21", first), ("192.0.2.22", second)] {
            try replace("\(address):443 port 8446", "127.0.0.1:\(node.port) port \(node.healthPort)")
            try replace("\(address):8444 port 8446", "127.0.0.1:\(node.mdmPort) port \(node.healthPort)")
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

    /// The configuration in the page.
    private static func documented() throws -> String {
        let page = try textOfFile(Repository.root + "/docs/operations/load-balancer.md")
        let blocks = page.components(separatedBy: "```")
        return try #require(blocks.first { $0.hasPrefix("haproxy\n") }).replacing(
            "haproxy\n", with: "", maxReplacements: 1)
    }
}
