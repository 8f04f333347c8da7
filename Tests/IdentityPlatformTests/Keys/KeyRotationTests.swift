// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import IdentityPlatform
import OAuth
import Storage
import TestSupport
import Testing

/// A new key is published before it signs. An old key stays published until its last token has expired.
@Suite struct KeyRotationTests {
    private func published(_ fixture: TestPlatform) async throws -> Set<String> {
        let document = try await fixture.client.get("/\(fixture.tenant.id)/discovery/v2.0/keys")
        return Set(try JSONWebKeySet(decoding: document.body).keys.compactMap(\.keyID))
    }

    /// The current signing key, and a token that it has signed.
    private func signing(_ fixture: TestPlatform) async throws -> (key: String, token: String) {
        let token = try await fixture.signedIn().string(ReplyName.accessToken)
        return (try #require(try CompactJWS(token).keyID), token)
    }

    @Test func `a new key is published before it signs, and an old key until its tokens have expired`() async throws {
        let fixture = try await TestPlatform()
        let before = try await published(fixture)
        #expect(before.count == 2)
        let old = try await signing(fixture)
        try await fixture.administration.tenants.rotateKeys(of: fixture.tenant)
        await #expect(throws: AdminRefusal.rotationPending) {
            try await fixture.administration.tenants.rotateKeys(of: fixture.tenant)
        }
        #expect(try await published(fixture).count == 4)
        #expect(try await published(fixture).isSuperset(of: before))
        fixture.clock.advance(by: .seconds(2 * 86400 - 1))
        #expect(try await signing(fixture).key == old.key)
        // A restart in between makes no difference.
        let world2 = try await fixture.restarted()
        #expect(try await signing(world2).key == old.key)
        let last = try await signing(fixture)
        fixture.clock.advance(by: .seconds(1))
        for fixture in [fixture, world2] {
            let new = try await signing(fixture)
            #expect(!before.contains(new.key))
            #expect(try await fixture.me(last.token).status == .ok)
        }
        let housekeeping = Housekeeping(fixture.platform)
        while try await housekeeping.sweep() > 0 {}
        #expect(try await published(fixture).count == 4)
        #expect(try await fixture.me(last.token).status == .ok)
        fixture.clock.advance(by: .seconds(3600 + 600))
        while try await housekeeping.sweep() > 0 {}
        #expect(try await published(fixture).isDisjoint(with: before))
        #expect(try await published(fixture).count == 2)
        #expect(try await fixture.me(try await signing(fixture).token).status == .ok)
    }

    @Test func `a key gets a successor when it has reached its maximum age`() async throws {
        let fixture = try await TestPlatform { $0.signingKeys.age = .seconds(10 * 86400) }
        let housekeeping = Housekeeping(fixture.platform)
        let before = try await published(fixture)
        fixture.clock.advance(by: .seconds(10 * 86400 - 1))
        while try await housekeeping.sweep() > 0 {}
        #expect(try await published(fixture) == before)
        fixture.clock.advance(by: .seconds(1))
        while try await housekeeping.sweep() > 0 {}
        #expect(try await published(fixture).count == 4)
        while try await housekeeping.sweep() > 0 {}
        #expect(try await published(fixture).count == 4)
        let lines = try await fixture.platform.database.read { try AuditLog($0).latest(9, tenant: fixture.tenant.id) }
        #expect(lines.filter { $0.action == "signing-key.add" && $0.actor == "server" }.count == 2)
    }

    @Test func `a compromised key is replaced at once`() async throws {
        let fixture = try await TestPlatform()
        let old = try await signing(fixture)
        fixture.clock.advance(by: .seconds(1))
        try await fixture.administration.tenants.rotateKeys(of: fixture.tenant, immediately: true)
        let new = try await signing(fixture)
        #expect(new.key != old.key)
        #expect(try await fixture.me(old.token).status == .ok)
    }

    @Test func `another server with the same database learns of the new key in time`() async throws {
        let fixture = try await TestPlatform()
        let other = try await fixture.restarted()
        _ = try await signing(other)
        try await fixture.administration.tenants.rotateKeys(of: fixture.tenant)
        // On a shared database, no server keeps keys in memory.
        let isShared = fixture.platform.database.isShared
        #expect(try await published(other).count == (isShared ? 4 : 2))
        fixture.clock.advance(by: .seconds(300))
        #expect(try await published(other) == published(fixture))
    }

    @Test func `an organisation without a key of an algorithm gets one`() async throws {
        let fixture = try await TestPlatform()
        try await fixture.platform.database.write { try $0.execute("DELETE FROM signingKey WHERE algorithm = 'ES256'") }
        let later = try await fixture.restarted()
        #expect(try await published(later).count == 1)
        while try await Housekeeping(later.platform).sweep() > 0 {}
        #expect(try await published(later).count == 2)
    }
}
