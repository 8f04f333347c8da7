// SPDX-License-Identifier: Apache-2.0
internal import GRDB
internal import Glibc

/// The content of an SQLite database, opened only for reading. A server may use the database meanwhile.
package struct SQLiteFile: SnapshotSource, DatabaseContent {
    package let layout: DatabaseLayout
    private let queue: DatabaseQueue

    package var catalogue: Catalogue { .sqlite }

    /// Opens the file.
    ///
    /// - Throws: ``TransferError`` `sourceMissing`, `newer`, `schemaDiffers`; ``StorageError``
    package init(path: String, schema: EngineSchema) async throws {
        guard unsafe access(path, F_OK) == 0 else { throw TransferError(.sourceMissing, "there is no file \(path)") }
        var configuration = GRDB.Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        configuration.label = "transfer"
        queue = try mapped { try DatabaseQueue(path: path, configuration: configuration) }
        let steps = try await Self.read(queue) { try RecordedStep.all($0) }
        layout = try await schema.layout(of: steps)
    }

    package func snapshot<T: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> T) async throws -> T {
        try await Self.read(queue, body)
    }

    package func forEachTable(_ body: (TableLayout, any RowCursor) throws -> Void) throws {
        try mapped {
            try queue.read { database in
                try SQLiteConnection(database: database, observers: nil).run { connection in
                    try layout.check(connection, catalogue: catalogue)
                    for table in layout.tables { try body(table, TableRows(of: table, connection)) }
                }
            }
        }
    }

    private static func read<T: Sendable>(
        _ queue: DatabaseQueue, _ body: @escaping @Sendable (any Connection) throws -> T
    ) async throws -> T {
        do {
            return try await queue.read { try SQLiteConnection(database: $0, observers: nil).run(body) }
        } catch let error as DatabaseError {
            throw StorageError(error)
        }
    }

    /// Writes a new database file (mode 0600) in one transaction. The file is complete and durable when this returns,
    /// and no side files remain. If this throws, the file is removed.
    ///
    /// - Throws: ``TransferError``, ``StorageError``
    package static func write(
        _ content: some DatabaseContent, to path: String, _ report: @escaping TransferProgress.Report
    ) async throws {
        for end in ["", "-journal", "-wal", "-shm"] { _ = unsafe unlink(path + end) }
        do {
            try SQLiteDatabase.createPrivately(path)
            let queue = try mapped { try DatabaseQueue(path: path, configuration: SQLiteDatabase.configuration) }
            do {
                try await queue.write { database in
                    _ = try SQLiteConnection(database: database, observers: Observers()).run {
                        try content.load(into: $0, report)
                    }
                }
            } catch let error as DatabaseError {
                throw StorageError(error)
            }
            try mapped { try queue.close() }
        } catch {
            for end in ["", "-journal"] { _ = unsafe unlink(path + end) }
            throw error
        }
    }
}
