// SPDX-License-Identifier: Apache-2.0
import Foundation
import Storage
import Testing

/// The behaviour that only the embedded database has.
@Suite struct SQLiteDatabaseTests {
    @Test func `a file is private and durable`() async throws {
        try await Backend.sqliteFile.withLocation { location in
            guard case .file(let path) = location else { return }
            let database = try await location.open([people])
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            #expect(try await database.write { try $0.row("PRAGMA synchronous")?["synchronous"] } == 2)
            #expect(try await database.write { try $0.row("PRAGMA journal_mode")?["journal_mode"] } == "wal")
        }
    }

    @Test func `a copy in memory begins with the original's content, and changes independently`() async throws {
        let database = try await SQLiteDatabase(inMemoryWith: [people])
        try await database.write { try $0.execute("INSERT INTO person (id) VALUES ('a')") }
        let copy = try SQLiteDatabase(inMemoryLike: database)
        try await copy.write { try $0.execute("INSERT INTO person (id) VALUES ('b')") }
        #expect(try await database.read { try $0.rows("SELECT id FROM person") }.count == 1)
        #expect(try await copy.read { try $0.rows("SELECT id FROM person") }.count == 2)
    }
}
