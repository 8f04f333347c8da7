// SPDX-License-Identifier: Apache-2.0
import Foundation
import Storage
import StoragePostgreSQL
import Synchronization
import TestSupport
import Testing

/// The copy from SQLite files to a PostgreSQL database.
@Suite struct CopyTests {
    @Test func `every row and every value is copied, and both databases then work the same`() async throws {
        try await TransferFixture.with { fixture in
            try await TransferTarget.with { target in
                let rows = try await target.copy(try await fixture.files())
                // 254 stores, 100 clerks, an item, and three steps of the schemas.
                #expect(rows == 358)
                // After the copy, the server can open the schema, and the foreign keys work.
                let database = try await PostgreSQLDatabase(target.shops, migrations: TransferFixture.shops.migrations)
                try await database.write { _ = try $0.execute("DELETE FROM store WHERE region = 'z' AND number = 7") }
                let clerks: Int? = try await database.read {
                    try $0.row("SELECT COUNT(*) AS count FROM clerk")?["count"]
                }
                #expect(clerks == 0)
                _ = await refusal(.constraint) {
                    try await database.write {
                        _ = try $0.execute(
                            "INSERT INTO clerk (badge, region, number) VALUES (\([1] as [UInt8]), 'x', 1)")
                    }
                }
            }
        }
    }

    @Test func `a database with an earlier version of the schema keeps that version`() async throws {
        try await Scratch.with { scratch in
            let earlier = [TransferFixture.shops.migrations[0]]
            let path = scratch.path("earlier.sqlite")
            let database = try await SQLiteDatabase(path: path, migrations: earlier)
            try await database.write { try $0.execute("INSERT INTO store (region, number) VALUES ('a', 1)") }
            let file = try await SQLiteFile(path: path, schema: TransferFixture.shops)
            try await withSchema { schema in
                let target = try await PostgreSQLTarget([.init(engine: TransferFixture.shops, configuration: schema)])
                try await target.write([file], isReplacing: false, TransferFixture.silent)
                let source = try await PostgreSQLSource(schema, schema: TransferFixture.shops)
                #expect(try await file.compare(with: source, TransferFixture.silent) == 2)
                // The next start of the server applies the rest.
                let server = try await PostgreSQLDatabase(schema, migrations: TransferFixture.shops.migrations)
                let opened: Int64? = try await server.read { try $0.row("SELECT openedAt FROM store")?["openedAt"] }
                #expect(opened == 0)
            }
        }
    }

    @Test func `a target with data is refused and keeps it, unless it is to be replaced`() async throws {
        try await TransferFixture.with { fixture in
            try await TransferTarget.with { target in
                // Only the second schema holds data. The copy is refused as a whole, so the first schema stays empty.
                let stock = try await PostgreSQLDatabase(target.stock, migrations: TransferFixture.stock.migrations)
                try await stock.write { try $0.execute("INSERT INTO item (id, count) VALUES ('other', 9)") }
                #expect(try await !target.open().isEmpty())
                let files = try await fixture.files()
                _ = await transferRefusal(.targetHoldsData) { _ = try await target.copy(files) }
                let id: String? = try await stock.read { try $0.row("SELECT id FROM item")?["id"] }
                #expect(id == "other")
                _ = await transferRefusal(.sourceMissing) { _ = try await target.sources() }
                #expect(try await target.copy(files, isReplacing: true) == 358)
            }
        }
    }

    @Test func `tables of another program and a schema of a later version are never touched`() async throws {
        try await TransferFixture.with { fixture in
            try await TransferTarget.with { target in
                let files = try await fixture.files()
                let later =
                    TransferFixture.stock.migrations + [
                        Migration("later", ["CREATE TABLE shelf (id BIGINT NOT NULL PRIMARY KEY)"])
                    ]
                _ = try await PostgreSQLDatabase(target.stock, migrations: later)
                _ = await transferRefusal(.newer) { _ = try await target.copy(files, isReplacing: true) }
            }
            try await TransferTarget.with { target in
                let stock = try await PostgreSQLDatabase(target.stock, migrations: TransferFixture.stock.migrations)
                try await stock.write { try $0.execute("CREATE TABLE foreignData (id BIGINT NOT NULL PRIMARY KEY)") }
                let files = try await fixture.files()
                let message = await transferRefusal(.foreignTables) {
                    _ = try await target.copy(files, isReplacing: true)
                }
                #expect(message.contains("foreignData"))
                let count: Int? = try await stock.read {
                    try $0.row("SELECT COUNT(*) AS count FROM foreignData")?["count"]
                }
                #expect(count == 0)
            }
        }
    }

    @Test func `a value that PostgreSQL cannot store is refused with its table and column`() async throws {
        try await TransferFixture.with { fixture in
            let shops = try await fixture.database(TransferFixture.shops)
            try await shops.write {
                try $0.execute(
                    "INSERT INTO store (region, number, displayName) VALUES ('n', 1, CAST(x'6100736563726574' AS TEXT))"
                )
            }
            try await TransferTarget.with { target in
                let files = try await fixture.files()
                let message = await transferRefusal(.valueUnsupported) { _ = try await target.copy(files) }
                #expect(message.contains("displayName") && message.contains("store") && !message.contains("secret"))
                #expect(try await target.open().isEmpty())
            }
        }
    }

    @Test(arguments: [
        "UPDATE store SET displayName = 'changed' WHERE number = 250", "DELETE FROM clerk WHERE badge = '\\x6300ff'",
        "UPDATE store SET photo = NULL WHERE number = 3", "INSERT INTO store (region, number) VALUES ('zz', 5)",
        "UPDATE migration SET position = 7 WHERE position = 1",
    ])
    func `the comparison finds every difference`(change: String) async throws {
        try await TransferFixture.with { fixture in
            try await TransferTarget.with { target in
                let files = try await fixture.files()
                _ = try await target.copy(files)
                let shops = try await PostgreSQLDatabase(target.shops, migrations: TransferFixture.shops.migrations)
                try await shops.write { try $0.execute(SQL(stringLiteral: change)) }
                let source = try await target.sources()[0]
                let message = await transferRefusal(.rowsDiffer) {
                    try await files[0].compare(with: source, TransferFixture.silent)
                }
                #expect(message.contains("database shops") && !message.contains("changed"))
            }
        }
    }

    @Test func `a copy that PostgreSQL's death interrupts can be started again`() async throws {
        try await TransferFixture.with { fixture in
            let cluster = try await PostgreSQLCluster.start(in: fixture.scratch)
            try await TransferTarget.with(of: cluster) { target in
                let files = try await fixture.files()
                let death = Death(of: cluster)
                _ = await refusal(.unavailable) {
                    try await target.open().write(files, isReplacing: false) { step in
                        // The first schema has been written, and the second has not.
                        if step.phase == .writing, step.table == "clerk" { death.happen() }
                    }
                }
                try await cluster.start()
                #expect(try await target.open().isEmpty())
                #expect(try await target.copy(files) == 358)
            }
        }
    }

    @Test func `identity columns continue after the copied values`() async throws {
        try await withSchema { schema in
            let database = try await PostgreSQLDatabase(schema, migrations: [])
            let next: [Int64] = try await database.write { connection in
                for table in ["lines", "emptyLines"] {
                    try connection.execute(
                        SQL(
                            stringLiteral: """
                                CREATE TABLE \(table) (
                                    linePlace BIGINT GENERATED BY DEFAULT AS IDENTITY, word TEXT NOT NULL)
                                """))
                }
                try connection.execute("INSERT INTO lines (linePlace, word) VALUES (1, 'a'), (41, 'b')")
                try connection.advanceIdentityColumns()
                return try ["lines", "emptyLines"].map { table in
                    try connection.rows(
                        SQL(stringLiteral: "INSERT INTO \(table) (word) VALUES ('c') RETURNING linePlace"))[0][
                            "linePlace"]
                }
            }
            #expect(next == [42, 1])
        }
    }
}

/// Kills a cluster once, and blocks until it is dead.
private final class Death: Sendable {
    private let cluster: PostgreSQLCluster
    private let isOver = Mutex(false)

    init(of cluster: PostgreSQLCluster) { self.cluster = cluster }

    func happen() {
        guard
            isOver.withLock({ isOver in
                defer { isOver = true }
                return !isOver
            })
        else { return }
        let dead = DispatchSemaphore(value: 0)
        Task.detached { [cluster] in
            try await cluster.kill()
            dead.signal()
        }
        dead.wait()
    }
}
