// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import IdentityPlatform
import OAuth
import Storage
import TestSupport
import Testing

/// Tests the session rule alone. Disabling a person or a device also ends their sessions, so these tests change the
/// database directly: the sessions stay live, and the rule must refuse them.
@Suite struct SessionRuleTests {
    private func execute(_ sql: SQL, _ fixture: TestPlatform) async throws {
        let changed = try await fixture.platform.database.write { try $0.execute(sql) }
        #expect(changed > 0)
    }

    @Test func `a live session of a disabled person yields nothing`() async throws {
        let fixture = try await TestPlatform()
        let tokens = try await fixture.signedIn()
        let (access, refresh) = (try tokens.string(ReplyName.accessToken), try tokens.string(ReplyName.refreshToken))
        try await execute("UPDATE person SET accountEnabled = 0 WHERE id = \(fixture.amara.id)", fixture)
        #expect(try await fixture.me(access).status == .unauthorized)
        #expect(try await fixture.refresh(refresh).errorNumber == 50057)
        try await execute("UPDATE person SET accountEnabled = 1 WHERE id = \(fixture.amara.id)", fixture)
        #expect(try await fixture.me(access).status == .ok)
    }

    @Test func `a live session of a disabled or removed device yields nothing`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        let session = try await testDevice.session()
        let access = try await session.tokens().string(ReplyName.accessToken)
        #expect(try await fixture.me(access).status == .ok)
        let id = try testDevice.id
        try await execute("UPDATE device SET accountEnabled = 0 WHERE id = \(id)", fixture)
        #expect(try await fixture.me(access).status == .unauthorized)
        #expect(try await session.use().errorNumber == 135_011)
        try await execute("UPDATE device SET accountEnabled = 1 WHERE id = \(id)", fixture)
        #expect(try await fixture.me(access).status == .ok)
        try await execute("DELETE FROM device WHERE id = \(id)", fixture)
        #expect(try await fixture.me(access).status == .unauthorized)
    }

    @Test func `a live session of an epoch that the device has left yields nothing`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        let session = try await testDevice.session()
        let access = try await session.tokens().string(ReplyName.accessToken)
        for (counter, closed, status) in [
            (1, 0, HTTPResponse.Status.ok), (1, 1, .unauthorized), (2, 0, .unauthorized),
        ] {
            try await execute("UPDATE device SET epochCounter = \(counter), epochClosed = \(closed)", fixture)
            #expect(try await fixture.me(access).status == status, "\(counter) \(closed)")
        }
    }
}
