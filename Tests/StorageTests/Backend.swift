// SPDX-License-Identifier: Apache-2.0
import Foundation
import Storage
import StoragePostgreSQL
import TestSupport
import Testing

/// The databases on which each test of the interface runs.
enum Backend: String, CaseIterable, CustomTestStringConvertible {
    case sqliteInMemory = "SQLite in memory"
    case sqliteFile = "SQLite"
    case postgreSQL = "PostgreSQL"

    /// The databases that keep their content when they are opened again.
    static let lasting: [Backend] = [.sqliteFile, .postgreSQL]

    var testDescription: String { rawValue }

    /// Passes a new, empty place for a database to `body`.
    func withLocation<Value>(_ body: (DatabaseLocation) async throws -> Value) async throws -> Value {
        let name = UUID().uuidString.replacingOccurrences(of: "-", with: "").lowercased()
        switch self {
        case .sqliteInMemory: return try await body(.memory)
        case .sqliteFile:
            let path = NSTemporaryDirectory() + "storage-\(name).sqlite"
            defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) } }
            return try await body(.file(path))
        case .postgreSQL:
            let cluster = try await PostgreSQLCluster.shared()
            return try await body(.server(cluster.configuration(schema: "test_" + name)))
        }
    }

    /// Passes a new database to `body`.
    func with<Value>(_ migrations: [Migration], _ body: (any Database) async throws -> Value) async throws -> Value {
        try await withLocation { try await body($0.open(migrations)) }
    }
}

/// Where the content of a database is.
enum DatabaseLocation {
    case memory
    case file(String)
    case server(PostgreSQLConfiguration)

    func open(_ migrations: [Migration]) async throws -> any Database {
        switch self {
        case .memory: try await SQLiteDatabase(inMemoryWith: migrations)
        case .file(let path): try await SQLiteDatabase(path: path, migrations: migrations)
        case .server(let configuration): try await PostgreSQLDatabase(configuration, migrations: migrations)
        }
    }
}

extension PostgreSQLCluster {
    /// The configuration with which the superuser reaches a schema of this database.
    func configuration(schema: String) -> PostgreSQLConfiguration {
        PostgreSQLConfiguration(
            server: .socket(folder: folder), database: Self.database, user: Self.superuser, schema: schema)
    }
}

let people = Migration("people", ["CREATE TABLE person (id TEXT NOT NULL PRIMARY KEY, age BIGINT, photo BLOB)"])
let pets = Migration(
    "pets", ["CREATE TABLE pet (name TEXT NOT NULL, owner TEXT NOT NULL REFERENCES person (id) ON DELETE CASCADE)"])

struct Birthday: Announcement, Equatable {
    let of: String

    init(of name: String) { of = name }

    init?(_ message: AnnouncementMessage) {
        guard message.kind == "birthday" else { return nil }
        of = message.key
    }

    var message: AnnouncementMessage { AnnouncementMessage(kind: "birthday", key: of) }
}
