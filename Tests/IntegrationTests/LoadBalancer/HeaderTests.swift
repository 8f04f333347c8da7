// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

/// The header with which a load balancer names a connection's client; see `Tests/ForeignClients/balancer.py`.
@Suite(.serialized, .foreignClients(["loadBalancer": ["addresses": ["127.0.0.1/32", "2001:db8::/32"]]]))
struct LoadBalancerHeaderTests {
    @Test func `a load balancer must send a header and nobody else may, and the log counts refusals`() async throws {
        try await ForeignClients.lent.check("balancer.py", "header")
        let log = try ForeignClients.lent.server.log()
        let lines = log.split(separator: "\n").filter { $0.contains("because of the load balancer's header") }
        // One line per minute, for the first refusal.
        #expect(lines.count == 1)
        #expect(lines.allSatisfy { $0.contains("refused.untrusted=1") && $0.contains("listener=main") })
        #expect(!log.contains("192.0.2.7"))
    }

    @Test func `a load balancer that does not complete its header in time is disconnected`() async throws {
        try await ForeignClients.lent.check("balancer.py", "late")
    }

    @Test func `requests are counted by the address in the header`() async throws {
        try await ForeignClients.lent.check("balancer.py", "throttle")
    }

    @Test(
        .foreignClients([
            "loadBalancer": ["addresses": ["127.0.0.1"]], "compatibility": ["passwordGrant": true],
        ]))
    func `the audit log has the address in the header`() async throws {
        try await ForeignClients.lent.check("balancer.py", "audit")
    }

    @Test(.foreignClients(["loadBalancer": ["addresses": ["127.0.0.1"]], "connectionsPerAddress": 4]))
    func `each client behind a load balancer has its own share of the connections`() async throws {
        try await ForeignClients.lent.check("balancer.py", "share")
    }
}
