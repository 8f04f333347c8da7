// SPDX-License-Identifier: Apache-2.0
import Storage
import Testing

@Suite struct MigrationTests {
    @Test(arguments: Backend.lasting)
    func `a database keeps its rows when the schema grows`(backend: Backend) async throws {
        try await backend.withLocation { location in
            let first = try await location.open([people])
            try await first.write { try $0.execute("INSERT INTO person (id) VALUES ('a')") }
            let second = try await location.open([people, pets])
            #expect(try await second.read { try $0.rows("SELECT id FROM person") }.count == 1)
            #expect(try await second.read { try $0.rows("SELECT name FROM pet") }.isEmpty)
        }
    }

    @Test(arguments: Backend.lasting)
    func `a migration may be inserted into the middle of the list later`(backend: Backend) async throws {
        try await backend.withLocation { location in
            _ = try await location.open([people, pets])
            let homes = Migration("homes", ["CREATE TABLE home (street TEXT NOT NULL)"])
            for _ in 1...2 {
                let database = try await location.open([people, homes, pets])
                #expect(try await database.read { try $0.rows("SELECT street FROM home") }.isEmpty)
            }
            await #expect(throws: StorageError(.newer, "")) { try await location.open([people, pets]) }
            await #expect(throws: StorageError(.migrationChanged, "")) {
                try await location.open([people, homes, homes, pets])
            }
        }
    }

    @Test(arguments: Backend.lasting)
    func `a database that is newer than the program is refused`(backend: Backend) async throws {
        try await backend.withLocation { location in
            _ = try await location.open([people, pets])
            await #expect(throws: StorageError(.newer, "")) { try await location.open([people]) }
        }
    }

    @Test(arguments: Backend.lasting)
    func `a migration that was edited after it was applied is refused`(backend: Backend) async throws {
        try await backend.withLocation { location in
            _ = try await location.open([people])
            let edited = Migration("people", ["CREATE TABLE person (id TEXT NOT NULL PRIMARY KEY)"])
            await #expect(throws: StorageError(.migrationChanged, "")) { try await location.open([edited]) }
        }
    }

    @Test(arguments: Backend.lasting)
    func `a migration that fails leaves the former schema`(backend: Backend) async throws {
        try await backend.withLocation { location in
            let broken = Migration("broken", ["CREATE TABLE half (id TEXT)", "CREATE TABLE half (id TEXT)"])
            await #expect(throws: StorageError(.failed, "")) { try await location.open([people, broken]) }
            let database = try await location.open([people, pets])
            #expect(try await database.read { try $0.rows("SELECT name FROM pet") }.isEmpty)
        }
    }

    @Test(arguments: Backend.lasting)
    func `the previous version may use the database if each new step allows it`(backend: Backend) async throws {
        try await backend.withLocation { location in
            let previous = try await location.open([people])
            let next = try await location.open([people, nickname])
            try await next.write { try $0.execute("INSERT INTO person (id, nickname) VALUES ('a', 'A')") }
            // The program that was already running, and one that starts now.
            for database in [previous, try await location.open([people])] {
                try await database.read { try $0.checkSchema([people]) }
                try await database.write {
                    try $0.execute("INSERT INTO person (id, age) VALUES ('p' || (SELECT COUNT(*) FROM person), 1)")
                }
            }
            #expect(try await next.read { try $0.rows("SELECT nickname FROM person") }.count == 3)
            _ = try await location.open([people, nickname])
        }
    }

    @Test(arguments: Backend.lasting)
    func `a running program notices that the schema has become too new for it`(backend: Backend) async throws {
        try await backend.withLocation { location in
            let previous = try await location.open([people])
            _ = try await location.open([people, nickname, renamed])
            await #expect(throws: StorageError(.newer, "")) { try await previous.read { try $0.checkSchema([people]) } }
            await #expect(throws: StorageError(.newer, "")) { try await location.open([people]) }
        }
    }

    @Test(
        arguments: Backend.lasting,
        [
            // The cases: a step that is two versions ahead, a step of the program's own version, a step that does not
            // allow the previous version, and a database that lacks a step of the program.
            [people, Migration("far", version: 3, allowsPrevious: true, ["CREATE TABLE far (id TEXT)"])],
            [people, Migration("own", version: 1, ["CREATE TABLE own (id TEXT)"])],
            [people, Migration("next", version: 2, ["CREATE TABLE next (id TEXT)"])],
            [Migration("other", version: 2, allowsPrevious: true, ["CREATE TABLE other (id TEXT)"])],
        ])
    func `a program is refused if a step that it does not know does not allow its version`(
        backend: Backend, newer: [Migration]
    ) async throws {
        try await backend.withLocation { location in
            _ = try await location.open(newer)
            let refusal = await #expect(throws: StorageError.self) { try await location.open([people]) }
            #expect(refusal?.code == .newer)
            let step = try #require(newer.last).id
            #expect(refusal?.message.contains(step == "other" ? "people" : step) == true)
        }
    }

    @Test(arguments: Backend.lasting)
    func `a step of the program's own version allows programs without it if it says so`(backend: Backend) async throws {
        try await backend.withLocation { location in
            let first = Migration("first", version: 2, ["CREATE TABLE first (id TEXT)"])
            _ = try await location.open([people, first, nickname])
            _ = try await location.open([people, first])
        }
    }

    @Test(arguments: Backend.lasting)
    func `the steps of a database from before the versions belong to version 1`(backend: Backend) async throws {
        try await backend.withLocation { location in
            let database = try await location.open([people])
            try await database.write { connection in
                for column in ["version", "lowest"] {
                    try connection.execute(SQL(stringLiteral: "ALTER TABLE migration DROP COLUMN \(column)"))
                }
            }
            let next = try await location.open([people, nickname])
            let steps = try await next.read { try $0.rows("SELECT version, lowest FROM migration ORDER BY position") }
            let versions: [Int64] = try steps.map { try $0["version"] }
            let lowest: [Int64] = try steps.map { try $0["lowest"] }
            #expect(versions == [1, 2] && lowest == [1, 1])
            _ = try await location.open([people])
        }
    }
}

/// A step after which programs of the previous version may use the database.
private let nickname = Migration(
    "nickname", version: 2, allowsPrevious: true, ["ALTER TABLE person ADD COLUMN nickname TEXT"])
/// A step after which programs of the previous version may not use the database.
private let renamed = Migration("renamed", version: 2, ["ALTER TABLE person RENAME COLUMN age TO years"])
