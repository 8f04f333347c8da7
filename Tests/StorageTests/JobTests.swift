// SPDX-License-Identifier: Apache-2.0
import Foundation
import Storage
import StoragePostgreSQL
import Synchronization
import TestSupport
import Testing

/// Jobs that at most one node runs at a time, and the comparison of clocks.
@Suite struct JobTests {
    /// Passes two nodes to `body`.
    private func withNodes(
        _ body: (PostgreSQLDatabase, PostgreSQLDatabase) async throws -> Void
    ) async throws {
        try await Backend.postgreSQL.withLocation { location in
            guard case .server(let configuration) = location else { throw TestProblem("no server") }
            try await body(
                try await PostgreSQLDatabase(configuration, migrations: [people]),
                try await PostgreSQLDatabase(configuration, migrations: [people]))
        }
    }

    @Test func `of two nodes one runs a job, and afterwards the other may`() async throws {
        try await withNodes { first, second in
            let outcome = try await first.exclusively("sweep") {
                let refused = try await second.exclusively("sweep") { true }
                #expect(refused == nil)
                let other = try await second.exclusively("other job") { true }
                #expect(other == true)
                let here = try await first.exclusively("sweep") { true }
                #expect(here == nil)
                return 1
            }
            #expect(outcome == 1)
            let next = try await second.exclusively("sweep") { true }
            #expect(next == true)
        }
    }

    @Test func `a job that fails is free for the next node`() async throws {
        try await withNodes { first, second in
            await #expect(throws: TestProblem.self) {
                try await first.exclusively("sweep") { () -> Bool in throw TestProblem("no") }
            }
            let next = try await second.exclusively("sweep") { true }
            #expect(next == true)
        }
    }

    @Test func `a node that loses its connection to the server loses its job, and its work ends in order`()
        async throws
    {
        try await Scratch.with { scratch in
            let cluster = try await PostgreSQLCluster.start(in: scratch)
            try await withSchema(of: cluster) { configuration in
                let first = try await PostgreSQLDatabase(configuration, migrations: [people])
                let second = try await PostgreSQLDatabase(configuration, migrations: [people])
                let outcome = try await first.exclusively("sweep") {
                    let ended = try await second.read { connection in
                        try connection.rows(
                            """
                            SELECT pg_terminate_backend(pid, 60000) AS ended FROM pg_locks
                            WHERE locktype = 'advisory'
                            """)
                    }
                    #expect(ended.count == 1)
                    let taken = try await second.exclusively("sweep") { true }
                    #expect(taken == true)
                    return 1
                }
                #expect(outcome == 1)
            }
        }
    }

    @Test(arguments: [Backend.sqliteInMemory, .sqliteFile])
    func `an embedded database runs every job`(backend: Backend) async throws {
        try await backend.with([people]) { database in
            let value = try await database.exclusively("sweep") { 1 }
            #expect(value == 1)
            let difference = try await ClockCheck(database: database).difference()
            #expect(difference == .zero)
        }
    }

    @Test(arguments: [0, 5, -5, 11, -11, 300, -300])
    func `a clock that differs from the server's is noticed`(seconds: Int64) async throws {
        try await withNodes { database, _ in
            let offset = Duration.seconds(seconds)
            let check = ClockCheck(database: database) { Timestamp.now + offset }
            let difference = try await check.difference()
            #expect(abs((difference - offset).milliseconds) < 3000)
            let clock = ClockGuard()
            clock.confirm(difference)
            #expect(clock.isGood == (abs(seconds) < 10))
        }
    }

    @Test func `the time that an answer takes is not a difference of clocks`() async throws {
        try await withNodes { database, _ in
            let readings = Mutex([Timestamp.now - .seconds(3600), Timestamp.now + .seconds(3600)])
            let check = ClockCheck(database: database) { readings.withLock { $0.removeFirst() } }
            let difference = try await check.difference()
            #expect(difference == .zero)
        }
    }
}
