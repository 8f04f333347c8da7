// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import IdentityPlatform
import OAuth
import Redaction
import Storage
import StorageTestSupport
import TestSupport
import Testing

/// Two nodes over one database. Where a test says so, the second node writes between the first node's decision and the
/// first node's transaction.
@Suite struct TwoNodesTests {
    private func published(_ fixture: TestPlatform) async throws -> Int {
        let document = try await fixture.client.get("/\(fixture.tenant.id)/discovery/v2.0/keys")
        return try JSONWebKeySet(decoding: document.body).keys.count
    }

    @Test func `an application that one node has disabled is refused by the next request to the other node`()
        async throws
    {
        let fixture = try await TestPlatform(over: { SharedDatabase($0) })
        let second = try await fixture.restarted()
        let tokens = try await fixture.signedIn()
        let (access, refresh) = (try tokens.string(ReplyName.accessToken), try tokens.string(ReplyName.refreshToken))
        #expect(try await fixture.me(access).status == .ok)
        try await second.administration.clients.setEnabled(false, second.app)
        #expect(try await fixture.refresh(refresh).errorNumber == 7_000_112)
        #expect(try await fixture.me(access).status == .unauthorized)
        try await second.administration.clients.setEnabled(true, second.app)
        #expect(try await fixture.refresh(refresh).status == .ok)
    }

    @Test func `a key that is due gets one successor, and one entry in the audit log`() async throws {
        let interlude = InterleavedDatabase.Interlude()
        let fixture = try await TestPlatform(
            { $0.signingKeys.age = .seconds(10 * 86400) }, over: { InterleavedDatabase($0, interlude) })
        let second = try await fixture.restarted()
        fixture.clock.advance(by: .seconds(10 * 86400))
        interlude.set {
            let changed = try await Housekeeping(second.platform).sweep()
            #expect(changed == 2)
        }
        #expect(try await Housekeeping(fixture.platform).sweep() == 0)
        #expect(try await published(fixture) == 4)
        #expect(try await published(second) == 4)
        let added = try await fixture.platform.database.read { try AuditLog($0).latest(20, tenant: fixture.tenant.id) }
        #expect(added.count { $0.action == "signing-key.add" && $0.actor == "server" } == 2)
    }

    @Test func `an obsolete key is removed once, with one entry in the audit log`() async throws {
        let interlude = InterleavedDatabase.Interlude()
        let fixture = try await TestPlatform(over: { InterleavedDatabase($0, interlude) })
        fixture.clock.advance(by: .seconds(1))
        try await fixture.administration.tenants.rotateKeys(of: fixture.tenant, immediately: true)
        let second = try await fixture.restarted()
        fixture.clock.advance(by: .seconds(86400))
        interlude.set { while try await Housekeeping(second.platform).sweep() > 0 {} }
        while try await Housekeeping(fixture.platform).sweep() > 0 {}
        #expect(try await published(fixture) == 2)
        let entries = try await fixture.platform.database.read {
            try AuditLog($0).latest(20, tenant: fixture.tenant.id)
        }
        #expect(entries.count { $0.action == "signing-key.remove" } == 2)
    }

    @Test func `of two administrators who rotate keys at once, one is refused`() async throws {
        let interlude = InterleavedDatabase.Interlude()
        let fixture = try await TestPlatform(over: { InterleavedDatabase($0, interlude) })
        let second = try await fixture.restarted()
        interlude.set { try await second.administration.tenants.rotateKeys(of: second.tenant) }
        await #expect(throws: AdminRefusal.rotationPending) {
            try await fixture.administration.tenants.rotateKeys(of: fixture.tenant)
        }
        #expect(try await published(second) == 4)
    }

    @Test(arguments: [UInt8(7), 8])
    func `the first of two nodes that start at once binds a new database to its storage key`(key: UInt8) async throws {
        let fixture = try await TestPlatform()
        let database = try await SQLiteDatabase(inMemoryWith: IdentitySchema.migrations)
        let interlude = InterleavedDatabase.Interlude()
        @Sendable func node(_ database: any Database, key: UInt8) async throws {
            _ = try await Platform(
                configuration: fixture.platform.configuration, database: database,
                storageKey: try TestPlatform.storageKey(key), environment: fixture.platform.environment)
        }
        interlude.set { try await node(database, key: 7) }
        let second = InterleavedDatabase(database, interlude)
        if key == 7 {
            try await node(second, key: key)
        } else {
            await #expect(throws: StorageKey.Failure.doesNotOpen) { try await node(second, key: key) }
        }
        try await node(database, key: 7)
    }
}
