// SPDX-License-Identifier: Apache-2.0
import IdentityPlatform
import Redaction
import Storage
import Testing

@Suite struct PasswordTests {
    @Test func `the cost is stored with the hash, so that old hashes stay good`() async throws {
        let world = try await World()
        let stored = try await world.platform.database.read {
            try $0.rows("SELECT passwordHash FROM user").map { try $0.text(0) }
        }
        #expect(stored.allSatisfy { $0.hasPrefix("scrypt$4$8$1$") })
        #expect(Set(stored).count == stored.count)
        var configuration = world.platform.configuration
        configuration.passwordCost = try #require(PasswordCost(logarithm: 5, blockSize: 8, parallelism: 1))
        let dearer = try await world.restarted(configuration: configuration).platform
        #expect(try await verify(dearer, world, World.password)?.id == world.amara.id)
        #expect(try await verify(dearer, world, "wrong") == nil)
    }

    @Test(arguments: ["", "scrypt$4$8$1$AA", "scrypt$31$8$1$AAAA$AAAA", "bcrypt$4$8$1$AAAA$AAAA", "scrypt$4$8$1$?$?"])
    func `a hash that cannot be ours is not read`(text: String) { #expect(PasswordHash(rawValue: text) == nil) }

    @Test func `a full queue refuses at once`() async throws {
        let pool = HashingPool(threads: 1, capacity: 0)
        await #expect(throws: HashingPool.Busy.self) { try await pool.run { 1 } }
        #expect(try await HashingPool(threads: 1, capacity: 1).run { 1 } == 1)
    }

    @Test func `an unknown, a disabled and a mistaken person cost the same hash`() async throws {
        let world = try await World()
        try await world.platform.database.write {
            try $0.execute("UPDATE user SET accountEnabled = 0 WHERE loginName = 'bo@contoso.test'")
        }
        for (name, password) in [
            ("nobody@contoso.test", World.password), ("bo@contoso.test", World.password),
            ("amara@contoso.test", "wrong"), ("", ""),
        ] {
            let before = world.platform.hashing.completed
            let user = try await world.platform.passwords.verify(
                name: name, password: SecretBytes(copying: Array(password.utf8)), tenant: world.tenant.id)
            #expect(user == nil)
            #expect(world.platform.hashing.completed == before + 1)
        }
    }

    private func verify(_ platform: Platform, _ world: World, _ password: String) async throws -> User? {
        try await platform.passwords.verify(
            name: "amara@contoso.test", password: SecretBytes(copying: Array(password.utf8)), tenant: world.tenant.id)
    }
}
