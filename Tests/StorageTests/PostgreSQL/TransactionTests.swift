// SPDX-License-Identifier: Apache-2.0
import Processes
import Storage
import StoragePostgreSQL
import Synchronization
import TestSupport
import Testing

/// Limits, conflicts, cancellation and several nodes.
@Suite struct TransactionTests {
    @Test func `who finds all connections in use gets an error in time, and the next one a connection`() async throws {
        try await withSchema { configuration in
            var small = configuration
            (small.limits.connections, small.limits.pool) = (1, .milliseconds(50))
            let database = try await PostgreSQLDatabase(small, migrations: [people])
            try await HeldTransaction.with("SELECT 1 AS held", in: database) { _ in
                let message = await refusal(.busy) { _ = try await database.read { try $0.rows("SELECT 1 AS one") } }
                #expect(message.contains("all 1 connections"))
            }
            #expect(try await database.read { try $0.rows("SELECT 1 AS one") }.count == 1)
        }
    }

    @Test func `who waits for a connection gets one in the end, or leaves when cancelled`() async throws {
        try await withSchema { configuration in
            var small = configuration
            (small.limits.connections, small.limits.pool) = (1, .seconds(600))
            let database = try await PostgreSQLDatabase(small, migrations: [people])
            try await HeldTransaction.with("SELECT 1 AS held", in: database) { _ in
                let waiting = Task { try await database.read { try $0.rows("SELECT 1 AS one") } }
                waiting.cancel()
                await #expect(throws: CancellationError.self) { try await waiting.value }
            }
            try await withThrowingTaskGroup { group in
                for _ in 0..<50 {
                    group.addTask { _ = try await database.write { try $0.execute("UPDATE person SET age = 1") } }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func `a pool keeps its size, whatever happens to its connections`() async throws {
        try await withSchema { configuration in
            var small = configuration
            (small.limits.connections, small.limits.pool) = (2, .seconds(600))
            let database = try await PostgreSQLDatabase(small, migrations: [people])
            await withTaskGroup { group in
                for number in 0..<60 {
                    group.addTask {
                        _ = try? await database.write { connection in
                            switch number % 4 {
                            case 0: _ = try connection.rows("SELECT pg_terminate_backend(pg_backend_pid()) AS done")
                            case 1: unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                            case 2: try connection.execute("INSERT INTO nothing VALUES (1)")
                            default: break
                            }
                            try connection.execute("UPDATE person SET age = 1")
                        }
                    }
                }
            }
            let rows = try await HeldTransaction.with("SELECT 1 AS held", in: database) { _ in
                try await database.read { try $0.rows("SELECT 1 AS one") }
            }
            #expect(rows.count == 1)
        }
    }

    @Test func `a statement that takes too long ends, and so does the wait for a lock`() async throws {
        try await withSchema { configuration in
            var brief = configuration
            (brief.limits.statement, brief.limits.lock) = (.milliseconds(300), .milliseconds(50))
            let database = try await PostgreSQLDatabase(configuration, migrations: [people])
            try await database.write { try $0.execute("INSERT INTO person (id) VALUES ('a')") }
            let hasty = try await PostgreSQLDatabase(brief, migrations: [people])
            #expect(
                await refusal(.busy) { _ = try await hasty.read { try $0.rows("SELECT pg_sleep(600) AS slept") } }
                    .contains("too long"))
            try await HeldTransaction.with("UPDATE person SET age = 1 RETURNING id", in: database) { held in
                #expect(
                    await refusal(.busy) { _ = try await hasty.write { try $0.execute("UPDATE person SET age = 2") } }
                        .contains("lock"))
            }
            try await hasty.write { try $0.execute("UPDATE person SET age = 3") }
        }
    }

    @Test func `a cancelled task ends a statement that waits in the server`() async throws {
        try await withSchema { configuration in
            var patient = configuration
            (patient.limits.statement, patient.limits.lock) = (.seconds(600), .seconds(600))
            let database = try await PostgreSQLDatabase(patient, migrations: [people])
            try await database.write { try $0.execute("INSERT INTO person (id, age) VALUES ('a', 0)") }
            try await HeldTransaction.with("UPDATE person SET age = 1 RETURNING id", in: database) { held in
                for _ in 0..<5 {
                    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
                    let waiting = Task {
                        try await database.write { connection in
                            begin.finish()
                            try connection.execute("UPDATE person SET age = 2")
                        }
                    }
                    for await _ in begun {}
                    waiting.cancel()
                    await #expect(throws: CancellationError.self) { try await waiting.value }
                }
            }
            #expect(try await database.read { try $0.row("SELECT age FROM person")?["age"] } == 1)
        }
    }

    @Test func `a transaction that conflicts is repeated after random pauses, and not for ever`() async throws {
        try await withSchema { configuration in
            var stubborn = configuration
            stubborn.limits.retries = 3
            let (randoms, attempts) = (Counter(), Counter())
            let database = try await PostgreSQLDatabase(stubborn, migrations: [people]) {
                randoms.increment()
                return 0.5
            }
            let other = try await PostgreSQLDatabase(configuration, migrations: [people])
            try await other.write { try $0.execute("INSERT INTO person (id, age) VALUES ('a', 0)") }
            let changes = ConflictingWriter(other)
            let message = await refusal(.busy) {
                try await database.write { connection in
                    attempts.increment()
                    _ = try connection.rows("SELECT age FROM person")
                    try changes.write()
                    try connection.execute("UPDATE person SET age = -1")
                }
            }
            #expect(message.contains("40001"))
            #expect(attempts.value == 4)
            #expect(randoms.value == 4)
            #expect(try await other.read { try $0.row("SELECT age FROM person")?["age"] } == 4)

            let second = Counter()
            try await database.write { connection in
                let age: Int = try connection.row("SELECT age FROM person")?["age"] ?? 0
                if second.increment() < 3 { try changes.write() }
                try connection.execute("UPDATE person SET age = \(age * 10)")
            }
            #expect(try await other.read { try $0.row("SELECT age FROM person")?["age"] } == 60)
        }
    }

    @Test func `a conflict that the body hides is repeated all the same`() async throws {
        struct Hidden: Error {}
        try await withSchema { configuration in
            let database = try await PostgreSQLDatabase(configuration, migrations: [people])
            try await database.write { try $0.execute("INSERT INTO person (id, age) VALUES ('a', 0)") }
            let (changes, attempts) = (ConflictingWriter(database), Counter())
            try await database.write { connection in
                _ = try connection.rows("SELECT age FROM person")
                if attempts.increment() < 3 { try changes.write() }
                do { try connection.execute("UPDATE person SET age = 100") } catch { throw Hidden() }
            }
            #expect(attempts.value == 3)
            #expect(try await database.read { try $0.row("SELECT age FROM person")?["age"] } == 100)
        }
    }

    @Test func `nodes that start at once apply each step once, and one that waits too long says so`() async throws {
        try await withSchema { configuration in
            let steps = [people, pets]
            let nodes = try await withThrowingTaskGroup { group in
                for _ in 0..<6 { group.addTask { try await PostgreSQLDatabase(configuration, migrations: steps) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for node in nodes {
                #expect(try await node.read { try $0.rows("SELECT id FROM migration") }.count == 2)
            }

            let long = Migration("long", ["UPDATE person SET age = 2"])
            try await nodes[0].write { try $0.execute("INSERT INTO person (id) VALUES ('a')") }
            try await HeldTransaction.with("UPDATE person SET age = 1 RETURNING id", in: nodes[0]) { _ in
                var hasty = configuration
                hasty.limits.migration = .milliseconds(50)
                await withTaskGroup { group in
                    for _ in 0..<2 {
                        group.addTask { [hasty] in
                            _ = await refusal(.busy) {
                                _ = try await PostgreSQLDatabase(hasty, migrations: steps + [long])
                            }
                        }
                    }
                }
            }
            _ = try await PostgreSQLDatabase(configuration, migrations: steps + [long])
        }
    }
}

/// Writes from within another transaction's body, which is synchronous.
private final class ConflictingWriter: Sendable {
    private let database: PostgreSQLDatabase

    init(_ database: PostgreSQLDatabase) { self.database = database }

    /// Adds 1 to the age of everybody and commits.
    func write() throws {
        let done = Mailbox<Result<Int, any Error>>()
        Task {
            do {
                done.post(.success(try await database.write { try $0.execute("UPDATE person SET age = age + 1") }))
            } catch { done.post(.failure(error)) }
        }
        _ = try done.take().get()
    }
}
