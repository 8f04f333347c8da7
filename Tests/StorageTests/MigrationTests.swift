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
}
