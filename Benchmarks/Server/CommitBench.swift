// SPDX-License-Identifier: Apache-2.0
import Storage

/// A database with one table of one column, to measure the minimum cost of a durable write.
struct CommitBench: Sendable {
    private let database: SQLiteDatabase

    init(folder: String) async throws {
        let name = "commits-\(UInt32.random(in: 0...UInt32.max)).sqlite"
        database = try await SQLiteDatabase(
            path: folder + "/" + name,
            migrations: [Migration("bench", ["CREATE TABLE entry (value BIGINT NOT NULL)"])])
    }

    /// Inserts a row in a transaction of its own, which is durable like the server's.
    func commit() async throws {
        try await database.write { try $0.execute("INSERT INTO entry (value) VALUES (1)") }
    }
}
