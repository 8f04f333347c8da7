// SPDX-License-Identifier: Apache-2.0
import MDMServer
import Storage
import Testing

@testable import baton_server

@Suite struct PushConnectionTests {
    /// When a node has ended, all of its devices open push channels to other nodes within a second.
    @Test func `push channels that opened at the same time end at different times`() throws {
        let tenant = try #require(TenantID(rawValue: "2f1c0a52-6f0e-4b1f-9f1c-8d2a4f3b7c10"))
        let start = ContinuousClock.now
        let connections = (0..<1000).map { number in
            PushConnection(
                EnrolledDeviceID(tenant: tenant, udid: UDID(rawValue: "UDID-\(number)")), asker: nil, now: start)
        }
        /// How many push channels have ended after the check at this time.
        func ended(at time: Duration) -> Int {
            for connection in connections { connection.beat(silentSince: start - .seconds(1), now: start + time) }
            return connections.count { $0.takeMessage() == nil }
        }
        var counts = [ended(at: PushConnection.longestLife * 0.74)]
        #expect(counts == [0])
        // The server checks every 7.5 s, a quarter of the keep-alive interval.
        for seconds in stride(from: 450, through: 600, by: 7.5) { counts.append(ended(at: .seconds(seconds))) }
        #expect(counts.last == connections.count)
        // On average, 50 end at each check.
        let most = zip(counts, counts.dropFirst()).map { $1 - $0 }.max() ?? 0
        #expect(most < 100)
    }
}
