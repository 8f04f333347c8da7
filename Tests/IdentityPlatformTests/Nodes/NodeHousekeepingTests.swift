// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import IdentityPlatform
import OAuth
import Storage
import StorageTestSupport
import TestSupport
import Testing

/// Housekeeping of two nodes over one database.
@Suite struct NodeHousekeepingTests {
    private func finished(_ node: TestPlatform) async throws -> [Int64] {
        try await node.platform.database.read { try $0.rows("SELECT finished FROM job").map { try $0["finished"] } }
    }

    @Test(arguments: SharedBackend.allCases)
    func `one of two nodes does the round, and the other finds it done`(backend: SharedBackend) async throws {
        let (first, second) = try await backend.nodes()
        let (one, other) = (Housekeeping(first.platform), Housekeeping(second.platform))
        #expect(try await one.round())
        #expect(try await finished(first) == [first.clock.now.rawValue])
        #expect(try await !other.round())
        first.clock.advance(by: Housekeeping.interval / 2 - .seconds(1))
        #expect(try await !one.round())
        first.clock.advance(by: .seconds(1))
        #expect(try await other.round())
        #expect(try await !one.round())
        // A node whose clock was wrong has left a time in the future.
        try await first.platform.database.write { connection in
            try connection.execute("UPDATE job SET finished = \(first.clock.now + .seconds(86_400))")
        }
        #expect(try await one.round())
        #expect(try await finished(first) == [first.clock.now.rawValue])
    }

    @Test func `while one node does the round, the other does not`() async throws {
        let interlude = InterleavedDatabase.Interlude()
        let database = try await postgreSQL()
        let first = try await TestPlatform(over: { _ in InterleavedDatabase(database, interlude) })
        let second = try await first.restarted(over: { _ in database })
        interlude.set {
            let isDone = try await Housekeeping(second.platform).round()
            #expect(!isDone)
        }
        #expect(try await Housekeeping(first.platform).round())
    }

    @Test func `rounds at many nodes rotate a due key once`() async throws {
        let (first, second) = try await SharedBackend.postgreSQL.nodes { $0.signingKeys.age = .seconds(10 * 86400) }
        first.clock.advance(by: .seconds(10 * 86400))
        let done = try await simultaneously(8) { number in
            try await Housekeeping(number % 2 == 0 ? first.platform : second.platform).round()
        }
        #expect(done.count { $0 } == 1)
        let keys = try await second.platform.keys.all(of: second.tenant.id)
        #expect(keys.count == 4)
    }

    @Test func `the embedded database's only node does every round`() async throws {
        let database = try await SQLiteDatabase(inMemoryWith: IdentitySchema.migrations)
        let node = try await TestPlatform(over: { _ in database })
        #expect(try await Housekeeping(node.platform).round())
        #expect(try await Housekeeping(node.platform).round())
        #expect(try await finished(node) == [])
    }

    @Test(arguments: SharedBackend.allCases)
    func `accepted requests are removed when no node accepts their nonces any more`(
        backend: SharedBackend
    ) async throws {
        let (first, second) = try await backend.nodes()
        let session = try await TestDevice.joined(first).session()
        let request = try await session.useRequest()
        #expect(try await session.testDevice.send(PrimaryRefreshToken.form(request: request)).status == .ok)
        func stored() async throws -> Int {
            try await first.platform.database.read { try $0.rows("SELECT digest FROM acceptedRequest").count }
        }
        let before = try await stored()
        #expect(before > 0)
        first.clock.advance(by: .seconds(330))
        _ = try await Housekeeping(second.platform).sweep()
        #expect(try await stored() == before)
        first.clock.advance(by: .seconds(300))
        _ = try await Housekeeping(second.platform).sweep(step: 1)
        #expect(try await stored() == before - 1)
        while try await Housekeeping(second.platform).sweep() > 0 {}
        #expect(try await stored() == 0)
    }
}
