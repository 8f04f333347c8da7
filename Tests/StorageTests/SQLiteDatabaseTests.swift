// SPDX-License-Identifier: Apache-2.0
import Foundation
import Storage
import Synchronization
import Testing

private let people = Migration("people", ["CREATE TABLE person (id TEXT NOT NULL PRIMARY KEY, age BIGINT, photo BLOB)"])
private let pets = Migration(
    "pets", ["CREATE TABLE pet (name TEXT NOT NULL, owner TEXT NOT NULL REFERENCES person (id) ON DELETE CASCADE)"])

@Suite struct SQLiteDatabaseTests {
    @Test func `values are read as they were bound, including hostile text`() async throws {
        let database = try await SQLiteDatabase(inMemoryWith: [people])
        let name = "x'); DROP TABLE person; --"
        let photo: [UInt8] = [0, 255]
        try await database.write { try $0.execute("INSERT INTO person VALUES (\(name), \(Int64?.none), \(photo))") }
        let found = try await database.read { try $0.row("SELECT id, age, photo FROM person WHERE id = \(name)") }
        let row = try #require(found)
        #expect(try row["id"] == name)
        #expect(try row["age"] as Int64? == nil)
        #expect(try row["photo"] == [0, 255] as [UInt8])
    }

    @Test func `a column with an unexpected type or name is an error with its name, never a conversion`() async throws {
        let database = try await SQLiteDatabase(inMemoryWith: [people])
        let row = try #require(
            try await database.read { try $0.row("SELECT 'a' AS text, 2 AS number, NULL AS missing, 1.5 AS part") })
        func refused<Value: ColumnValue>(_ name: String, as type: Value.Type) {
            let error = #expect(throws: StorageError(.unexpectedValue, "")) { try row[name] as Value }
            #expect(error?.message.contains("column \(name)") == true)
        }
        refused("text", as: Int64.self)
        refused("number", as: String.self)
        refused("number", as: Bool.self)
        refused("missing", as: String.self)
        refused("part", as: Int64.self)
        refused("other", as: String.self)
        refused("other", as: String?.self)
    }

    private struct Person: Record, Equatable {
        let id: String
        let age: Int?

        static let table = "person"
        static let unread: Set<Column> = [.photo]
        enum Column: String, ColumnName { case id, age, photo, shoeSize }

        init(id: String, age: Int?) { (self.id, self.age) = (id, age) }
        init(_ row: TableRow<Person>) throws { (id, age) = (try row[.id], try row[.age]) }
    }

    private enum Photographed: Table {
        static let table = "person"
        enum Column: String, ColumnName { case id, photo }
    }

    @Test func `a column that may be NULL can only be read as optional`() async throws {
        let database = try await SQLiteDatabase(inMemoryWith: [people])
        try await database.write { connection in
            try connection.insert(into: Photographed.self, [.id: "amara"])
            try connection.insert(into: Photographed.self, [.id: "bo", .photo: [UInt8]([1])])
        }
        try await database.read { connection in
            func photo(_ name: String) throws -> [UInt8]? {
                try connection.optionalValue(.photo, of: Photographed.self, "WHERE id = \(name)")
            }
            #expect(try photo("amara") == nil)
            #expect(try photo("bo") == [1])
            #expect(try photo("nobody") == nil)
            #expect(throws: StorageError(.unexpectedValue, "")) {
                let _: [UInt8]? = try connection.value(.photo, of: Photographed.self, "WHERE id = 'amara'")
            }
            let row = try #require(try connection.row("SELECT id FROM person WHERE id = 'bo'"))
            #expect(throws: StorageError(.unexpectedValue, "")) { try row["ID"] as String }
        }
    }

    @Test func `rows are written and read with the column names in the table's one list`() async throws {
        let database = try await SQLiteDatabase(inMemoryWith: [people])
        try await database.write { connection in
            try connection.insert(into: Photographed.self, [.id: "a", .photo: [1] as [UInt8]])
            try connection.insert(
                into: Photographed.self, [.id: "a", .photo: [2] as [UInt8]], "ON CONFLICT DO NOTHING")
            try connection.upsert(into: Photographed.self, key: [.id], [.id: "b", .photo: [3] as [UInt8]])
            try connection.upsert(into: Photographed.self, key: [.id], [.id: "b", .photo: [4] as [UInt8]])
        }
        try await database.read { connection in
            let photos: [[UInt8]] = try connection.values(.photo, of: Photographed.self, "ORDER BY id")
            #expect(photos == [[1], [4]])
            #expect(try connection.value(.id, of: Photographed.self, "WHERE photo = \([4] as [UInt8])") == "b")
            #expect(try connection.count(of: Photographed.self, "") == 2)
            #expect(try !connection.exists(Photographed.self, "WHERE id = 'c'"))
            #expect(throws: StorageError(.unexpectedValue, "")) { try connection.row(of: Photographed.self, "") }
        }
    }

    @Test func `a column that the table lacks is an error with its name`() async throws {
        let database = try await SQLiteDatabase(inMemoryWith: [people])
        let error = await #expect(throws: StorageError.self) {
            try await database.read { try $0.records(Person.self, "") }
        }
        #expect(error?.message.contains("shoeSize") == true)
    }

    @Test func `a write that throws changes nothing`() async throws {
        struct Refusal: Error {}
        let database = try await SQLiteDatabase(inMemoryWith: [people])
        await #expect(throws: Refusal.self) {
            try await database.write { connection in
                try connection.execute("INSERT INTO person (id) VALUES ('a')")
                throw Refusal()
            }
        }
        #expect(try await database.read { try $0.rows("SELECT id FROM person") }.isEmpty)
    }

    @Test(arguments: [true, false])
    func `a read cannot change anything, in memory or on the disk`(isInMemory: Bool) async throws {
        let path = NSTemporaryDirectory() + "read-\(UUID().uuidString).sqlite"
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) } }
        let database =
            isInMemory
            ? try await SQLiteDatabase(inMemoryWith: [people])
            : try await SQLiteDatabase(path: path, migrations: [people])
        for statement in ["INSERT INTO person (id) VALUES ('a')", "DELETE FROM person", "DROP TABLE person"] as [SQL] {
            await #expect(throws: StorageError(.failed, "")) {
                try await database.read { try $0.execute(statement) }
            }
        }
        #expect(try await database.read { try $0.rows("SELECT id FROM person") }.isEmpty)
    }

    @Test func `a copy in memory begins with the original's content, and changes independently`() async throws {
        let database = try await SQLiteDatabase(inMemoryWith: [people])
        try await database.write { try $0.execute("INSERT INTO person (id) VALUES ('a')") }
        let copy = try SQLiteDatabase(inMemoryLike: database)
        try await copy.write { try $0.execute("INSERT INTO person (id) VALUES ('b')") }
        #expect(try await database.read { try $0.rows("SELECT id FROM person") }.count == 1)
        #expect(try await copy.read { try $0.rows("SELECT id FROM person") }.count == 2)
    }

    private struct Birthday: Announcement, Equatable { let of: String }

    @Test func `a change is announced once it is durable, and never if it is rolled back`() async throws {
        struct Refusal: Error {}
        let path = NSTemporaryDirectory() + "announcements-\(UUID().uuidString).sqlite"
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) } }
        let database = try await SQLiteDatabase(path: path, migrations: [people])
        let heard = Mutex<[Birthday]>([])
        database.observe { said in heard.withLock { $0 += [said as? Birthday].compactMap(\.self) } }
        await #expect(throws: Refusal.self) {
            try await database.write { connection in
                try connection.announce(Birthday(of: "nobody"))
                throw Refusal()
            }
        }
        try await database.write { connection in
            for name in ["a", "b"] {
                try connection.execute("INSERT INTO person (id) VALUES (\(name))")
                try connection.announce(Birthday(of: name))
                #expect(heard.withLock(\.self).isEmpty)
            }
        }
        #expect(heard.withLock(\.self) == [Birthday(of: "a"), Birthday(of: "b")])
        await #expect(throws: StorageError(.failed, "")) {
            try await database.read { try $0.announce(Birthday(of: "c")) }
        }
        #expect(heard.withLock(\.self).count == 2)
    }

    @Test func `violated constraints have error codes, and their messages contain no values`() async throws {
        let database = try await SQLiteDatabase(inMemoryWith: [people, pets])
        let secret = "canary-7f3a"
        try await database.write { try $0.execute("INSERT INTO person (id) VALUES (\(secret))") }
        await expectRefusal(.conflict, of: "INSERT INTO person (id) VALUES (\(secret))", in: database, hiding: secret)
        await expectRefusal(
            .constraint, of: "INSERT INTO pet VALUES (\(secret), 'nobody')", in: database, hiding: secret)
        await expectRefusal(.failed, of: "INSERT INTO nothing VALUES (\(secret))", in: database, hiding: secret)
    }

    private func expectRefusal(
        _ code: StorageError.Code, of sql: SQL, in database: some Database, hiding secret: String
    ) async {
        let error = await #expect(throws: StorageError.self) { try await database.write { try $0.execute(sql) } }
        #expect(error?.code == code)
        #expect(error.map { !String(reflecting: $0).contains(secret) && !$0.description.contains(secret) } == true)
    }
}

@Suite struct MigrationTests {
    private func path() -> String {
        FileManager.default.temporaryDirectory.path + "/storage-\(UUID().uuidString).sqlite"
    }

    @Test func `a database file is private and durable, and keeps its rows when the schema grows`() async throws {
        let path = path()
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) } }
        let first = try await SQLiteDatabase(path: path, migrations: [people])
        try await first.write { try $0.execute("INSERT INTO person (id) VALUES ('a')") }
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try await first.write { try $0.row("PRAGMA synchronous")?["synchronous"] } == 2)
        #expect(try await first.write { try $0.row("PRAGMA journal_mode")?["journal_mode"] } == "wal")

        let second = try await SQLiteDatabase(path: path, migrations: [people, pets])
        #expect(try await second.read { try $0.rows("SELECT id FROM person") }.count == 1)
        #expect(try await second.read { try $0.rows("SELECT name FROM pet") }.isEmpty)
    }

    @Test func `a migration may be inserted into the middle of the list later`() async throws {
        let path = path()
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) } }
        _ = try await SQLiteDatabase(path: path, migrations: [people, pets])
        let homes = Migration("homes", ["CREATE TABLE home (street TEXT NOT NULL)"])
        for _ in 1...2 {
            let database = try await SQLiteDatabase(path: path, migrations: [people, homes, pets])
            #expect(try await database.read { try $0.rows("SELECT street FROM home") }.isEmpty)
        }
        await #expect(throws: StorageError(.newer, "")) {
            try await SQLiteDatabase(path: path, migrations: [people, pets])
        }
        await #expect(throws: StorageError(.migrationChanged, "")) {
            try await SQLiteDatabase(path: path, migrations: [people, homes, homes, pets])
        }
    }

    @Test func `a database that is newer than the program is refused`() async throws {
        let path = path()
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) } }
        _ = try await SQLiteDatabase(path: path, migrations: [people, pets])
        await #expect(throws: StorageError(.newer, "")) { try await SQLiteDatabase(path: path, migrations: [people]) }
    }

    @Test func `a migration that was edited after it was applied is refused`() async throws {
        let path = path()
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) } }
        _ = try await SQLiteDatabase(path: path, migrations: [people])
        let edited = Migration("people", ["CREATE TABLE person (id TEXT NOT NULL PRIMARY KEY)"])
        await #expect(throws: StorageError(.migrationChanged, "")) {
            try await SQLiteDatabase(path: path, migrations: [edited])
        }
    }

    @Test func `a migration that fails leaves the former schema`() async throws {
        let path = path()
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) } }
        let broken = Migration("broken", ["CREATE TABLE half (id TEXT)", "CREATE TABLE half (id TEXT)"])
        await #expect(throws: StorageError(.failed, "")) {
            try await SQLiteDatabase(path: path, migrations: [people, broken])
        }
        let database = try await SQLiteDatabase(path: path, migrations: [people, pets])
        #expect(try await database.read { try $0.rows("SELECT name FROM pet") }.isEmpty)
    }
}
