// SPDX-License-Identifier: Apache-2.0
import Processes
import Storage
import StoragePostgreSQL
import Synchronization
import TestSupport
import Testing

/// Connections that are lost, and servers that die.
@Suite struct LossTests {
    @Test func `a transaction whose connection is killed before the commit is repeated on another one`() async throws {
        try await withSchema { configuration in
            let database = try await PostgreSQLDatabase(configuration, migrations: [people])
            let attempts = Counter()
            try await database.write { connection in
                let attempt = attempts.increment()
                try connection.execute("INSERT INTO person (id) VALUES (\("attempt \(attempt)"))")
                if attempt == 1 { _ = try connection.rows("SELECT pg_terminate_backend(pg_backend_pid()) AS done") }
            }
            let found = try await database.read { try $0.rows("SELECT id FROM person") }
            #expect(try found.map { try $0["id"] } == ["attempt 2"])

            let fatal = Counter()
            let message = await refusal(.unavailable) {
                _ = try await database.write { connection in
                    fatal.increment()
                    return try connection.rows("SELECT pg_terminate_backend(pg_backend_pid()) AS done").count
                }
            }
            #expect(message.contains("57P01"))
            #expect(fatal.value == 3)
            #expect(try await database.read { try $0.rows("SELECT id FROM person") }.count == 1)
        }
    }

    @Test func `connections that were killed while nobody used them are replaced`() async throws {
        try await withSchema { configuration in
            var few = configuration
            few.limits.connections = 2
            let database = try await PostgreSQLDatabase(few, migrations: [people])
            let pids = Mutex<[Int]>([])
            try await HeldTransaction.with("SELECT 1 AS held", in: database) { _ in
                try await database.write { connection in
                    let pid: Int = try connection.row("SELECT pg_backend_pid() AS pid")?["pid"] ?? 0
                    pids.withLock { $0.append(pid) }
                }
            }
            let admin = try await PostgreSQLDatabase(configuration, migrations: [people])
            for pid in pids.withLock(\.self) {
                // The second argument is how long to wait until the process has ended, in milliseconds.
                let ended = try await admin.write { connection in
                    try connection.row("SELECT pg_terminate_backend(CAST(\(pid) AS INT), 60000) AS ended")
                }
                #expect(try ended?["ended"] == true)
            }
            for _ in 0..<4 { try await database.write { try $0.execute("UPDATE person SET age = 1") } }
        }
    }

    /// A trigger at the end of the commit ends the server process: the client cannot know whether the commit came
    /// first.
    @Test func `a commit during which the connection is lost is reported as such and not repeated`() async throws {
        try await withSchema { configuration in
            let deadly = Migration(
                "deadly",
                [
                    """
                    CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS
                        $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$
                    """,
                    """
                    CREATE CONSTRAINT TRIGGER deadly AFTER INSERT ON person DEFERRABLE INITIALLY DEFERRED
                        FOR EACH ROW EXECUTE FUNCTION die()
                    """,
                ])
            let database = try await PostgreSQLDatabase(configuration, migrations: [people, deadly])
            let (attempts, heard) = (Counter(), Counter())
            database.observe { if $0 is Birthday { heard.increment() } }
            let message = await refusal(.unknownOutcome) {
                try await database.write { connection in
                    attempts.increment()
                    try connection.execute("INSERT INTO person (id) VALUES ('a')")
                    try connection.announce(Birthday(of: "a"))
                }
            }
            #expect(message.contains("may have succeeded"))
            #expect(attempts.value == 1)
            #expect(heard.value == 1)
            #expect(try await database.read { try $0.rows("SELECT id FROM person") }.isEmpty)
        }
    }

    @Test(arguments: [CommitCutter.Moment.before, .after])
    func `a commit without an answer may have happened or not, and is never repeated`(
        moment: CommitCutter.Moment
    ) async throws {
        try await Scratch.with { scratch in
            try await withSchema { configuration in
                let direct = try await PostgreSQLDatabase(configuration, migrations: [people])
                try await direct.write { try $0.execute("INSERT INTO person (id, age) VALUES ('a', 0)") }
                let cutter = try CommitCutter(
                    cluster: try await PostgreSQLCluster.shared(), folder: scratch.path, in: scratch)
                var cut = configuration
                cut.server = .socket(folder: scratch.path)
                let database = try await PostgreSQLDatabase(cut, migrations: [people])
                let attempts = Counter()
                cutter.cutNextCommit(moment)
                _ = await refusal(.unknownOutcome) {
                    try await database.write { connection in
                        attempts.increment()
                        try connection.execute("UPDATE person SET age = age + 1")
                    }
                }
                #expect(attempts.value == 1)
                #expect(
                    try await database.read { try $0.row("SELECT age FROM person")?["age"] }
                        == (moment == .after ? 1 : 0))
            }
        }
    }

    @Test func `after a crash of the server, errors are clear and nothing acknowledged is lost`() async throws {
        try await Scratch.with { scratch in
            let cluster = try await PostgreSQLCluster.start(in: scratch)
            try await withSchema(of: cluster) { configuration in
                let database = try await PostgreSQLDatabase(configuration, migrations: [people])
                try await database.write { try $0.execute("INSERT INTO person (id) VALUES ('before')") }
                let held = Task {
                    try await HeldTransaction.with(
                        "INSERT INTO person (id) VALUES ('unfinished') RETURNING id", in: database
                    ) { _ in try await cluster.kill() }
                }
                // The commit that follows finds the connection closed, either at once or while it waits for the answer.
                let error = await #expect(throws: StorageError.self) { try await held.value }
                #expect([.unavailable, .unknownOutcome].contains(error?.code))
                #expect(
                    await refusal(.unavailable) {
                        _ = try await database.write { try $0.execute("INSERT INTO person (id) VALUES ('down')") }
                    }.contains("cannot be reached"))

                try await cluster.start()
                try await database.write { try $0.execute("INSERT INTO person (id) VALUES ('after')") }
                let names = try await database.read { try $0.rows("SELECT id FROM person ORDER BY id") }
                #expect(try names.map { try $0["id"] } == ["after", "before"])
            }
        }
    }

    /// What the writers know about their writes.
    private final class History: Sendable {
        let acknowledged = Mutex<[Int]>([])
        let doubtful = Mutex<[Int]>([])
        let isOver = Mutex(false)
    }

    /// Eight writers record each acknowledged number while the server is killed again and again.
    @Test func `no acknowledged write is lost and none happens twice while the server crashes`() async throws {
        try await Scratch.with { scratch in
            let cluster = try await PostgreSQLCluster.start(in: scratch)
            try await withSchema(of: cluster) { configuration in
                let database = try await PostgreSQLDatabase(
                    configuration, migrations: [Migration("entries", ["CREATE TABLE entry (number BIGINT NOT NULL)"])])
                let (history, numbers) = (History(), Counter())
                let (successes, starts) = (ChangeCount(), ChangeCount())
                try await withThrowingTaskGroup { group in
                    for _ in 0..<8 {
                        group.addTask {
                            while !history.isOver.withLock(\.self) {
                                let (number, start) = (numbers.increment(), starts.value)
                                do {
                                    try await database.write { connection in
                                        try connection.execute("INSERT INTO entry (number) VALUES (\(number))")
                                    }
                                    history.acknowledged.withLock { $0.append(number) }
                                    successes.advance()
                                } catch let error as StorageError {
                                    #expect([.unavailable, .unknownOutcome].contains(error.code), "\(error)")
                                    if error.code == .unknownOutcome { history.doubtful.withLock { $0.append(number) } }
                                    await starts.beyond(start)
                                }
                            }
                        }
                    }
                    for _ in 0..<3 {
                        await successes.beyond(successes.value + 50)
                        try await cluster.kill()
                        try await cluster.start()
                        starts.advance()
                    }
                    history.isOver.withLock { $0 = true }
                    starts.advance()
                    try await group.waitForAll()
                }
                let rows = try await database.read { try $0.rows("SELECT number FROM entry ORDER BY number") }
                let found: [Int] = try rows.map { try $0["number"] }
                #expect(Set(found).count == found.count)
                #expect(Set(found).isSuperset(of: history.acknowledged.withLock(\.self)))
                let possible = Set(history.acknowledged.withLock(\.self)).union(history.doubtful.withLock(\.self))
                #expect(possible.isSuperset(of: found))
            }
        }
    }
}
