// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import IdentityPlatform
import OAuth
import Storage
import StorageTestSupport
import Synchronization
import TestSupport
import Testing

/// Counts the database accesses of the most frequent grants, because the grants' speed depends on them.
///
/// On a shared database, each transaction also reads the directory's entries that it needs, because no node caches
/// them.
@Suite struct GrantCostTests {
    @Test func `a refresh grant is one transaction, and reads nothing that cannot have changed`() async throws {
        let count = Count()
        let fixture = try await TestPlatform(over: { Counted(database: $0, count: count) })
        var token = try await fixture.signedIn().string(ReplyName.refreshToken)
        for _ in 1...3 {
            count.reset()
            let answer = try await fixture.refresh(token)
            #expect(answer.status == .ok, "\(answer.text)")
            token = try answer.json.string(ReplyName.refreshToken)
        }
        // Reads the token, its session with the person, and their roles; marks the old token as used; stores the next
        // token.
        guard fixture.platform.database.isShared else {
            #expect(count.value == Count.Value(reads: 0, writes: 1, statements: 5))
            return
        }
        #expect(count.value.isAtMost(.init(reads: 1, writes: 1, statements: 12)), "\(count.value)")
    }

    @Test func `a grant with a primary refresh token writes nothing but, for other nodes, that it was used`()
        async throws
    {
        let count = Count()
        let fixture = try await TestPlatform(over: { Counted(database: $0, count: count) })
        let session = try await TestDevice.joined(fixture).session()
        _ = try await session.tokens()
        let request = try await session.useRequest()
        count.reset()
        #expect(try await session.testDevice.send(PrimaryRefreshToken.form(request: request)).status == .ok)
        // Reads the token, its session with person and device, and the person's roles.
        guard fixture.platform.database.isShared else {
            #expect(count.value == Count.Value(reads: 1, writes: 0, statements: 3))
            return
        }
        #expect(count.value.isAtMost(.init(reads: 2, writes: 1, statements: 16)), "\(count.value)")
    }

    @Test func `grants over a shared database are one transaction, too`() async throws {
        let count = Count()
        let fixture = try await TestPlatform(over: { Counted(database: SharedDatabase($0), count: count) })
        let session = try await TestDevice.joined(fixture).session()
        let refresh = try await fixture.signedIn().string(ReplyName.refreshToken)
        count.reset()
        #expect(try await fixture.refresh(refresh).status == .ok)
        // The cache holds nothing: the read finds the tenant in the address, and the transaction also reads the
        // tenant, the application and the signing keys.
        #expect(count.value == Count.Value(reads: 1, writes: 1, statements: 10))
        _ = try await session.tokens()
        let request = try await session.useRequest()
        count.reset()
        #expect(try await session.testDevice.send(PrimaryRefreshToken.form(request: request)).status == .ok)
        // The transaction also reads the broker's registration, and stores that the request was accepted.
        #expect(count.value == Count.Value(reads: 1, writes: 1, statements: 11))
    }
}

/// The number of accesses to a database.
final class Count: Sendable {
    struct Value: Equatable {
        var reads = 0
        var writes = 0
        var statements = 0

        func isAtMost(_ other: Value) -> Bool {
            reads <= other.reads && writes <= other.writes && statements <= other.statements
        }
    }

    private let state = Mutex(Value())

    var value: Value { state.withLock { $0 } }
    func reset() { state.withLock { $0 = Value() } }
    func change(_ body: (inout Value) -> Void) { state.withLock { body(&$0) } }
}

/// A database that counts the accesses to it.
struct Counted: DatabaseLayer {
    let database: any Database
    let count: Count

    func read<T: Sendable>(_ body: @escaping @Sendable (any Storage.Connection) throws -> T) async throws -> T {
        count.change { $0.reads += 1 }
        return try await database.read { [count] in try body(CountedConnection(connection: $0, count: count)) }
    }

    @discardableResult
    func write<T: Sendable>(_ body: @escaping @Sendable (any Storage.Connection) throws -> T) async throws -> T {
        count.change { $0.writes += 1 }
        return try await database.write { [count] in try body(CountedConnection(connection: $0, count: count)) }
    }

    func observe(_ observer: @escaping @Sendable (any Announcement) -> Void) { database.observe(observer) }
}

private struct CountedConnection: Storage.Connection {
    let connection: any Storage.Connection
    let count: Count

    func execute(_ sql: SQL) throws -> Int {
        count.change { $0.statements += 1 }
        return try connection.execute(sql)
    }

    func rows(_ sql: SQL) throws -> [Row] {
        count.change { $0.statements += 1 }
        return try connection.rows(sql)
    }

    func announce(_ announcement: any Announcement) throws { try connection.announce(announcement) }
}
