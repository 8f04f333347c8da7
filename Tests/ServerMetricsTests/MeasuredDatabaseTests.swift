// SPDX-License-Identifier: Apache-2.0
import Observability
import ServerMetrics
import Storage
import Testing

@Suite struct MeasuredDatabaseTests {
    private let factory = PrometheusFactory()
    private let database: MeasuredDatabase

    init() {
        factory.declare(MeasuredDatabase.declarations(["identity"]))
        database = MeasuredDatabase(Unreachable(), name: "identity", factory: factory)
    }

    @Test func `failed transactions are counted by code`() async throws {
        await #expect(throws: StorageError.self) { try await database.read { _ in } }
        await #expect(throws: StorageError.self) { try await database.write { _ in } }
        let text = PrometheusText.render(await factory.families())
        #expect(text.contains("\nbaton_database_failures_total{database=\"identity\",code=\"unavailable\"} 2\n"))
        #expect(text.contains("\nbaton_database_failures_total{database=\"identity\",code=\"busy\"} 0\n"))
    }

    @Test func `exclusive jobs, the server's time and the use of connections are those of the database`() async throws {
        let (done, busy) = (
            try await database.exclusively("free") { true }, try await database.exclusively("taken") { true }
        )
        #expect(done == true && busy == nil)
        #expect(try await database.serverTime() == Unreachable.time)
        #expect(database.isShared && database.load == Unreachable.load)
    }
}

/// A database that many nodes use, and that refuses every transaction.
private struct Unreachable: PooledDatabase {
    static let time = Timestamp(seconds: 1_700_000_000)
    static let load = PoolLoad(limit: 5, inUse: 4, waiting: 3, conflicts: 2, losses: 1)

    var isShared: Bool { true }
    var load: PoolLoad { Self.load }

    func read<T: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> T) async throws -> T {
        throw StorageError(.unavailable, "no connection")
    }

    func write<T: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> T) async throws -> T {
        throw StorageError(.unavailable, "no connection")
    }

    func observe(_ observer: @escaping @Sendable (any Announcement) -> Void) {}

    func exclusively<T: Sendable>(_ job: String, _ body: @Sendable () async throws -> T) async throws -> T? {
        job == "free" ? try await body() : nil
    }

    func serverTime() async throws -> Timestamp? { Self.time }
}
