// SPDX-License-Identifier: Apache-2.0
import Storage
import Synchronization
import Testing

/// What databases of every kind must do.
@Suite struct DatabaseTests {
    private struct Refusal: Error {}

    @Test(arguments: Backend.allCases)
    func `values are read as they were bound, including hostile text`(backend: Backend) async throws {
        try await backend.with([people]) { database in
            for name in ["x'); DROP TABLE person; --", "", "$1 ? \\ \" displayName", "Zoë 🏥\n\t"] {
                for (age, photo) in [
                    (nil, [0, 255]), (Int64.min, []), (.max, nil), (0, [UInt8](repeating: 92, count: 100_000)),
                ] as [(Int64?, [UInt8]?)] {
                    let row = try await database.write { connection in
                        try connection.execute("DELETE FROM person")
                        try connection.execute("INSERT INTO person VALUES (\(name), \(age), \(photo))")
                        return try connection.row("SELECT id, age, photo FROM person WHERE id = \(name)")
                    }
                    let found = try #require(row)
                    #expect(try found["id"] == name)
                    #expect(try found["age"] == age)
                    #expect(try found["photo"] == photo)
                }
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func `a column with an unexpected type or name is an error with its name, never a conversion`(
        backend: Backend
    ) async throws {
        try await backend.with([people]) { database in
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

    @Test(arguments: Backend.allCases)
    func `a column that may be NULL can only be read as optional`(backend: Backend) async throws {
        try await backend.with([people]) { database in
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
    }

    @Test(arguments: Backend.allCases)
    func `rows are written and read with the column names in the table's one list`(backend: Backend) async throws {
        try await backend.with([people]) { database in
            try await database.write { connection in
                try connection.insert(into: Photographed.self, [.id: "a", .photo: [1] as [UInt8]])
                let again = try connection.insert(
                    into: Photographed.self, [.id: "a", .photo: [2] as [UInt8]], "ON CONFLICT DO NOTHING")
                #expect(again == 0)
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
    }

    private struct Shift: Record, Equatable {
        let id: String
        let beginsAt: Int
        let isOpen: Bool

        static let table = "wardShift"
        enum Column: String, ColumnName { case id, beginsAt, isOpen }

        init(_ row: TableRow<Shift>) throws {
            (id, beginsAt, isOpen) = (try row[.id], try row[.beginsAt], try row[.isOpen])
        }
    }

    private let shifts = Migration(
        "shifts",
        [
            """
            CREATE TABLE wardShift (
                id TEXT NOT NULL PRIMARY KEY, beginsAt BIGINT NOT NULL, isOpen BIGINT NOT NULL DEFAULT 1)
            """,
            "CREATE INDEX wardShiftByBegin ON wardShift (beginsAt) WHERE isOpen = 1",
            "ALTER TABLE wardShift ADD COLUMN handedOverBy TEXT",
        ])

    /// PostgreSQL folds unquoted names to lower case; SQLite keeps their case.
    @Test(arguments: Backend.allCases)
    func `names in camelCase keep their case in tables, conditions and results`(backend: Backend) async throws {
        try await backend.with([shifts]) { database in
            try await database.write { connection in
                try connection.insert(into: Shift.self, [.id: "early", .beginsAt: 6])
                try connection.upsert(into: Shift.self, key: [.id], [.id: "early", .beginsAt: 7, .isOpen: false])
                #expect(
                    try connection.execute(
                        "UPDATE wardShift SET handedOverBy = 'isOpen' WHERE wardShift.beginsAt > \(6)") == 1)
            }
            let shift = try await database.read {
                try $0.record(Shift.self, "WHERE isOpen = 0 AND id <> 'é' -- beginsAt, é\n")
            }
            #expect(shift?.beginsAt == 7)
            let row = try await database.read { connection in
                try connection.row(
                    """
                    SELECT other.beginsAt AS otherBegin, COALESCE(shift.handedOverBy, '') AS text, COUNT(*) AS count
                    FROM wardShift AS shift JOIN wardShift AS other ON shift.id = other.id
                    WHERE shift.handedOverBy = 'isOpen' GROUP BY other.beginsAt, shift.handedOverBy
                    """)
            }
            #expect(try row?["otherBegin"] == 7)
            #expect(try row?["text"] == "isOpen")
            #expect(try row?["count"] == 1)
            let removed = try await database.write { try $0.rows("DELETE FROM wardShift RETURNING beginsAt") }
            #expect(try removed.map { try $0["beginsAt"] as Int } == [7])
        }
    }

    @Test(arguments: Backend.allCases)
    func `a number is compared as a number, and text by its bytes`(backend: Backend) async throws {
        try await backend.with([people]) { database in
            let row = try await database.read { try $0.row("SELECT 1 AS found WHERE \(9) < \(10)") }
            #expect(row != nil)
            let names = ["a", "B", "é", "_", "b", "a b", "ab", "Z", "1"]
            try await database.write { connection in
                for name in names { try connection.execute("INSERT INTO person (id) VALUES (\(name))") }
            }
            let sorted = try await database.read { try $0.rows("SELECT id FROM person ORDER BY id") }
            #expect(try sorted.map { try $0["id"] } == names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        }
    }

    @Test(arguments: Backend.allCases)
    func `a statement runs with NULL and with a value`(backend: Backend) async throws {
        try await backend.with([people]) { database in
            try await database.write { connection in
                for (id, age) in [("a", nil), ("b", 1), ("c", nil), ("d", 2)] as [(String, Int?)] {
                    try connection.execute("INSERT INTO person (id, age) VALUES (\(id), \(age))")
                }
            }
            let ages = try await database.read { try $0.rows("SELECT age FROM person ORDER BY id") }
            #expect(try ages.map { try $0["age"] as Int? } == [nil, 1, nil, 2])
        }
    }

    @Test(arguments: Backend.allCases)
    func `a column that the table lacks is an error with its name`(backend: Backend) async throws {
        try await backend.with([people]) { database in
            let error = await #expect(throws: StorageError.self) {
                try await database.read { try $0.records(Person.self, "") }
            }
            #expect(error?.message.contains("shoeSize") == true)
        }
    }

    @Test(arguments: Backend.allCases)
    func `a write that throws changes nothing`(backend: Backend) async throws {
        try await backend.with([people]) { database in
            await #expect(throws: Refusal.self) {
                try await database.write { connection in
                    try connection.execute("INSERT INTO person (id) VALUES ('a')")
                    throw Refusal()
                }
            }
            let left = try await database.read { try $0.rows("SELECT id FROM person") }
            #expect(left.isEmpty)
        }
    }

    @Test(arguments: Backend.allCases)
    func `a read changes nothing`(backend: Backend) async throws {
        try await backend.with([people]) { database in
            let statements: [SQL] = [
                "INSERT INTO person (id) VALUES ('a')", "DELETE FROM person", "DROP TABLE person",
            ]
            for statement in statements {
                await #expect(throws: StorageError(.failed, "")) {
                    try await database.read { try $0.execute(statement) }
                }
            }
            let left = try await database.read { try $0.rows("SELECT id FROM person") }
            #expect(left.isEmpty)
        }
    }

    /// PostgreSQL refuses every statement after a failed statement.
    @Test(arguments: Backend.allCases)
    func `a write with a failed statement is rolled back even if its body catches the error`(
        backend: Backend
    ) async throws {
        try await backend.with([people]) { database in
            await #expect(throws: StorageError(.conflict, "")) {
                try await database.write { connection in
                    try connection.execute("INSERT INTO person (id) VALUES ('a')")
                    _ = try? connection.execute("INSERT INTO person (id) VALUES ('a')")
                }
            }
            await #expect(throws: Refusal.self) {
                try await database.write { connection in
                    try connection.execute("INSERT INTO person (id) VALUES ('b')")
                    do { try connection.execute("INSERT INTO person (id) VALUES ('b')") } catch { throw Refusal() }
                }
            }
            let left = try await database.read { try $0.rows("SELECT id FROM person") }
            #expect(left.isEmpty)
        }
    }

    @Test(arguments: Backend.allCases)
    func `a change is announced once it is durable, and never if it is rolled back`(backend: Backend) async throws {
        try await backend.with([people]) { database in
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
    }

    @Test(arguments: Backend.allCases)
    func `violated constraints have error codes, and their messages contain no values`(backend: Backend) async throws {
        try await backend.with([people, pets]) { database in
            let secret = "canary-7f3a"
            try await database.write { try $0.execute("INSERT INTO person (id) VALUES (\(secret))") }
            let refusals: [(StorageError.Code, SQL)] = [
                (.conflict, "INSERT INTO person (id) VALUES (\(secret))"),
                (.constraint, "INSERT INTO pet VALUES (\(secret), 'nobody')"),
                (.constraint, "INSERT INTO person (id, age) VALUES (NULL, LENGTH(\(secret)))"),
                (.failed, "INSERT INTO nothing VALUES (\(secret))"),
            ]
            for (code, statement) in refusals {
                let error = await #expect(throws: StorageError.self) {
                    try await database.write { try $0.execute(statement) }
                }
                #expect(error?.code == code)
                #expect(error.map { !String(reflecting: $0).contains(secret) && !"\($0)".contains(secret) } == true)
            }
        }
    }

    @TaskLocal private static var request = "none"

    @Test(arguments: Backend.allCases)
    func `a transaction runs in the task that requested it`(backend: Backend) async throws {
        try await backend.with([people]) { database in
            try await Self.$request.withValue("r1") {
                let (read, written) = (
                    try await database.read { _ in Self.request }, try await database.write { _ in Self.request }
                )
                #expect(read == "r1" && written == "r1")
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func `a cancelled task writes nothing`(backend: Backend) async throws {
        try await backend.with([people]) { database in
            let writer = Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                try await database.write { try $0.execute("INSERT INTO person (id) VALUES ('a')") }
            }
            await #expect(throws: CancellationError.self) { try await writer.value }
            let late = Task {
                try await database.write { connection in
                    try connection.execute("INSERT INTO person (id) VALUES ('a')")
                    unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                    try connection.execute("INSERT INTO person (id) VALUES ('b')")
                }
            }
            await #expect(throws: CancellationError.self) { try await late.value }
            let left = try await database.read { try $0.rows("SELECT id FROM person") }
            #expect(left.isEmpty)
        }
    }

    @Test(arguments: Backend.allCases)
    func `no update of concurrent writers is lost`(backend: Backend) async throws {
        try await backend.with([people]) { database in
            try await database.write { try $0.execute("INSERT INTO person (id, age) VALUES ('a', 0)") }
            try await withThrowingTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask {
                        for _ in 0..<25 {
                            try await database.write { connection in
                                let age: Int = try connection.row("SELECT age FROM person")?["age"] ?? 0
                                try connection.execute("UPDATE person SET age = \(age + 1)")
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await database.read { try $0.row("SELECT age FROM person")?["age"] } == 200)
        }
    }

    /// Each write is right by itself; only their interleaving breaks the rule.
    @Test(arguments: Backend.allCases)
    func `a rule over several rows holds although each writer changes only its own`(backend: Backend) async throws {
        try await backend.with([people]) { database in
            for _ in 0..<10 {
                try await database.write { connection in
                    try connection.execute("DELETE FROM person")
                    for name in 0..<8 {
                        try connection.execute("INSERT INTO person (id, age) VALUES (\("\(name)"), 1)")
                    }
                }
                try await withThrowingTaskGroup { group in
                    for name in 0..<8 {
                        group.addTask {
                            try await database.write { connection in
                                let onDuty = try connection.rows("SELECT id FROM person WHERE age = 1")
                                guard onDuty.count > 1 else { return }
                                try connection.execute("UPDATE person SET age = 0 WHERE id = \("\(name)")")
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(try await database.read { try $0.rows("SELECT id FROM person WHERE age = 1") }.count == 1)
            }
        }
    }
}
