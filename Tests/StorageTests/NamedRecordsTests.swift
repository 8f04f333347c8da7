// SPDX-License-Identifier: Apache-2.0
import Storage
import Testing

/// Records that names can mean.
@Suite struct NamedRecordsTests {
    private struct Ship: Record {
        let id: String
        let name: String
        static let table = "ship"
        static let unread: Set<Column> = [.callSign]
        enum Column: String, ColumnName { case id, name, callSign }
        init(_ row: TableRow<Ship>) throws { (id, name) = (try row[.id], try row[.name]) }
    }

    private static let ships = Migration(
        "ships",
        [
            "CREATE TABLE ship (id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL, callSign TEXT)",
            """
            INSERT INTO ship VALUES ('1', 'Anna', '2'), ('2', 'Berta', 'Berta'), ('3', 'Clara', 'Anna'),
                ('4', 'Dora', 'D'), ('5', 'Dora', 'E'), ('6', 'F', 'Dora')
            """,
        ])

    private static func find(
        _ text: String, limit: Int = 10, in database: any Database
    ) async throws -> NamedRecords<Ship> {
        try await database.read { connection in
            try connection.named(
                Ship.self, by: .id, limit: limit,
                in: [["id = \(text)"], [], ["name = \(text)", "callSign = \(text)"]])
        }
    }

    @Test(arguments: Backend.allCases)
    func `the first step that selects any record decides, and a record counts once`(backend: Backend) async throws {
        try await backend.with([Self.ships]) { database in
            // The id of one ship is the call sign of another.
            #expect(try await Self.find("2", in: database).records.map(\.id) == ["2"])
            #expect(try await Self.find("Berta", in: database).records.map(\.id) == ["2"])
            let both = try await Self.find("Anna", in: database)
            #expect(both.records.map(\.id) == ["1", "3"] && both.count == 2)
            let none = try await Self.find("Emil", in: database)
            #expect(none.records.isEmpty && none.count == 0)
        }
    }

    @Test(arguments: Backend.allCases)
    func `no more records than the limit are returned, and all are counted`(backend: Backend) async throws {
        try await backend.with([Self.ships]) { database in
            let found = try await Self.find("Dora", limit: 1, in: database)
            #expect(found.records.map(\.id) == ["4"] && found.count == 3)
            let exact = try await Self.find("Dora", limit: 3, in: database)
            #expect(exact.records.map(\.id) == ["4", "5", "6"] && exact.count == 3)
        }
    }

    @Test(arguments: Backend.allCases) func `without steps nothing is found`(backend: Backend) async throws {
        try await backend.with([Self.ships]) { database in
            let found = try await database.read { try $0.named(Ship.self, by: .id, limit: 1, in: []) }
            #expect(found.records.isEmpty && found.count == 0)
        }
    }
}
