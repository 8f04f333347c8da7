// SPDX-License-Identifier: Apache-2.0
import Storage
import Testing

/// Records of three tables that one statement reads.
@Suite struct JoinedRecordTests {
    private struct Booking: Record {
        let id: String
        static let table = "booking"
        enum Column: String, ColumnName { case id, person, roomNumber }
        init(_ row: TableRow<Booking>) throws { id = try row[.id] }
    }

    private struct Person: Record {
        let id: String
        let displayName: String?
        static let table = "person"
        enum Column: String, ColumnName { case id, displayName }
        init(_ row: TableRow<Person>) throws { (id, displayName) = (try row[.id], try row[.displayName]) }
    }

    private struct Room: Record {
        let id: Int64
        static let table = "room"
        static let unread: Set<Column> = [.unused]
        enum Column: String, ColumnName { case unused, id }
        init(_ row: TableRow<Room>) throws { id = try row[.id] }
    }

    private static let tables = Migration(
        "tables",
        [
            "CREATE TABLE booking (id TEXT NOT NULL PRIMARY KEY, person TEXT, roomNumber BIGINT)",
            "CREATE TABLE person (id TEXT NOT NULL PRIMARY KEY, displayName TEXT)",
            "CREATE TABLE room (id BIGINT NOT NULL PRIMARY KEY, unused TEXT)",
            "INSERT INTO person VALUES ('amara', NULL), ('ben', 'Ben')", "INSERT INTO room VALUES (7, 'x')",
            """
            INSERT INTO booking VALUES ('both', 'ben', 7), ('person', 'amara', NULL), ('room', 'carol', 7),
                ('neither', NULL, 8)
            """,
        ])

    private static func bookings(_ rest: SQL, in connection: any Connection) throws -> (Booking, Person?, Room?)? {
        try connection.record(
            Booking.self, with: Person.self, on: "person.id = booking.person", and: Room.self,
            on: "room.id = booking.roomNumber", rest)
    }

    @Test(arguments: Backend.allCases)
    func `a record is read with those of the other tables that exist`(backend: Backend) async throws {
        try await backend.with([Self.tables]) { database in
            for (id, person, room) in [
                ("both", "ben", 7), ("person", "amara", nil), ("room", nil, 7), ("neither", nil, nil),
            ] as [(String, String?, Int64?)] {
                let read = try await database.read { try Self.bookings("WHERE booking.id = \(id)", in: $0) }
                let found = try #require(read)
                #expect(found.0.id == id)
                #expect(found.1?.id == person)
                #expect(found.1?.displayName == (person == "ben" ? "Ben" : nil))
                #expect(found.2?.id == room)
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func `no row is nil, and several rows are an error`(backend: Backend) async throws {
        try await backend.with([Self.tables]) { database in
            let none = try await database.read { try Self.bookings("WHERE booking.id = 'nobody'", in: $0) }
            #expect(none?.0.id == nil)
            await #expect(throws: StorageError(.unexpectedValue, "")) {
                _ = try await database.read { try Self.bookings("WHERE room.id = 7", in: $0) }
            }
        }
    }
}
