// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import MDMProtocol
import MDMServer
import StorageTestSupport
import Testing

/// The plans of the statements that devices cause. No plan may read a whole table; otherwise a device of a large fleet
/// would wait longer than a device of a small fleet.
@Suite struct QueryPlanTests {
    @Test func `a device's check-ins, polls and commands read no whole table`() async throws {
        let scans = FullScans()
        try await TestMDM.with(on: .sqlite, wrapping: { PlannedDatabase($0, recordingIn: scans) }) { fixture in
            let device = try HandDevice(fixture, profile: try await fixture.enrollmentProfile(named: "tablet-1"))
            scans.reset()
            #expect(try await device.authenticate() == 200)
            #expect(try await device.tokenUpdate() == 200)
            #expect(try await device.work(upTo: 3).count == 2)
            #expect(try await device.report(.idle) == nil)
            #expect(scans.planned > 10)
            #expect(scans.found == [])
        }
    }
}
