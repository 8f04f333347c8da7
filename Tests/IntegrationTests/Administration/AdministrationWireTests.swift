// SPDX-License-Identifier: Apache-2.0
import Processes
import TestSupport
import Testing

/// How the HTTPS interface of administration handles bytes that no well-behaved client sends, directly and through HAProxy;
/// see `Tests/ForeignClients/administration.py`.
@Suite(.serialized, .foreignClients) struct AdministrationWireTests {
    @Test(arguments: ["smuggling", "host", "malformed"])
    func `each sequence of raw bytes gets one answer or none`(name: String) async throws {
        try await ForeignClients.lent.check("administration.py", name)
    }

    @Test(.foreignClients(["requestDeadline": 2]))
    func `a client that sends a body without end is cut off, and nobody else`() async throws {
        try await ForeignClients.lent.check("administration.py", "slow")
    }

    @Test func `a client that goes on sending a refused body is cut off soon`() async throws {
        try await ForeignClients.lent.check("administration.py", "endless")
    }

    @Test func `no request is smuggled through HAProxy`() async throws {
        try await Scratch.with { scratch in
            let health = Int(try #require(FreePort.tcp(in: FreePort.ofTests)))
            let clients = try await ForeignClients(
                ["loadBalancer": ["addresses": ["127.0.0.1"]], "health": ["port": health]], in: scratch)
            let haproxy = try await LoadBalancerProcess(
                [
                    .init(
                        port: clients.server.port, mdmPort: clients.server.mdmPort, healthPort: health,
                        administrationPort: clients.administrationPort)
                ], in: scratch)
            clients.add("administration_balancer", "\(haproxy.administrationPort)")
            try await clients.check("administration.py", "haproxy_smuggling")
        }
    }
}
