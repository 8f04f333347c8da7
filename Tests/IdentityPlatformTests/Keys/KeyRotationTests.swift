// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import IdentityPlatform
import OAuth
import Storage
import TestSupport
import Testing

/// A new key is published before it signs; an old one stays published until its last token is over.
@Suite struct KeyRotationTests {
    private func published(_ world: World) async throws -> Set<String> {
        let document = try await world.client.get("/\(world.tenant.id)/discovery/v2.0/keys")
        return Set(try JSONWebKeySet(decoding: document.body).keys.compactMap(\.keyID))
    }

    /// The key that signs now, and a token of it.
    private func signing(_ world: World) async throws -> (key: String, token: String) {
        let token = try await world.signedIn().string(ReplyName.accessToken)
        return (try #require(try CompactJWS(token).keyID), token)
    }

    @Test func `a new key is published before it signs, and the old one until its tokens are over`() async throws {
        let world = try await World()
        let before = try await published(world)
        #expect(before.count == 2)
        let old = try await signing(world)
        try await world.administration.rotateKeys(of: world.tenant)
        await #expect(throws: AdminRefusal.rotationPending) {
            try await world.administration.rotateKeys(of: world.tenant)
        }
        #expect(try await published(world).count == 4)
        #expect(try await published(world).isSuperset(of: before))
        world.clock.advance(by: .seconds(2 * 86400 - 1))
        #expect(try await signing(world).key == old.key)
        // A restart in between changes nothing.
        let world2 = try await world.restarted()
        #expect(try await signing(world2).key == old.key)
        let last = try await signing(world)
        world.clock.advance(by: .seconds(1))
        for world in [world, world2] {
            let new = try await signing(world)
            #expect(!before.contains(new.key))
            #expect(try await world.me(last.token).status == .ok)
        }
        let housekeeping = Housekeeping(world.platform)
        while try await housekeeping.sweep() > 0 {}
        #expect(try await published(world).count == 4)
        #expect(try await world.me(last.token).status == .ok)
        world.clock.advance(by: .seconds(3600 + 600))
        while try await housekeeping.sweep() > 0 {}
        #expect(try await published(world).isDisjoint(with: before))
        #expect(try await published(world).count == 2)
        #expect(try await world.me(try await signing(world).token).status == .ok)
    }

    @Test func `keys get successors by age`() async throws {
        let world = try await World { $0.signingKeys.age = .seconds(10 * 86400) }
        let housekeeping = Housekeeping(world.platform)
        let before = try await published(world)
        world.clock.advance(by: .seconds(10 * 86400 - 1))
        while try await housekeeping.sweep() > 0 {}
        #expect(try await published(world) == before)
        world.clock.advance(by: .seconds(1))
        while try await housekeeping.sweep() > 0 {}
        #expect(try await published(world).count == 4)
        while try await housekeeping.sweep() > 0 {}
        #expect(try await published(world).count == 4)
        let lines = try await world.platform.database.read { try AuditLog($0).latest(9, tenant: world.tenant.id) }
        #expect(lines.filter { $0.action == "signing-key.add" && $0.actor == "server" }.count == 2)
    }

    @Test func `a key that became known to others is replaced at once`() async throws {
        let world = try await World()
        let old = try await signing(world)
        world.clock.advance(by: .seconds(1))
        try await world.administration.rotateKeys(of: world.tenant, immediately: true)
        let new = try await signing(world)
        #expect(new.key != old.key)
        #expect(try await world.me(old.token).status == .ok)
    }

    @Test func `another server over the same database learns of the new key in time`() async throws {
        let world = try await World()
        let other = try await world.restarted()
        _ = try await signing(other)
        try await world.administration.rotateKeys(of: world.tenant)
        #expect(try await published(other).count == 2)
        world.clock.advance(by: .seconds(300))
        #expect(try await published(other) == published(world))
    }

    @Test func `an organisation that lacks a key of an algorithm gets one`() async throws {
        let world = try await World()
        try await world.platform.database.write { try $0.execute("DELETE FROM signingKey WHERE algorithm = 'ES256'") }
        let later = try await world.restarted()
        #expect(try await published(later).count == 1)
        while try await Housekeeping(later.platform).sweep() > 0 {}
        #expect(try await published(later).count == 2)
    }
}
