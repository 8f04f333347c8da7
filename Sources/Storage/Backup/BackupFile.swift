// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import Encodings

/// A backup that can be restored.
package struct BackupFile: Sendable {
    package let manifest: BackupManifest
    /// The databases, in the order of the manifest.
    package let databases: [BackupContent]

    /// Opens a backup and verifies all of it: the manifest, the length of the file and, for each table, the digest, the
    /// number and the format of its rows.
    ///
    /// - Parameter schemas: the databases that the backup must have.
    /// - Throws: ``TransferError`` `notABackup`, `damaged`, `newer`, `schemaDiffers`, `file`; ``StorageError``
    package init(path: String, schemas: [EngineSchema], _ report: @escaping TransferProgress.Report) async throws {
        let file = try DataFile(reading: path)
        let head = try ManifestCoding.head(try file.read(ManifestCoding.maximumLine, at: 0))
        manifest = try ManifestCoding.manifest(try file.read(head.length + 1, at: head.lineLength), head)
        guard manifest.databases.map(\.name) == schemas.map(\.name) else {
            throw TransferError(.notABackup, "the file is a backup of other databases")
        }
        var place = head.end
        var databases: [BackupContent] = []
        for (described, schema) in zip(manifest.databases, schemas) {
            let layout = try await schema.layout(of: described.steps)
            guard layout.tables.map(\.name) == described.tables.map(\.name) else {
                throw TransferError(.schemaDiffers, "the backup has other tables than its version of the schema")
            }
            databases.append(BackupContent(file: file, start: place, layout: layout, tables: described.tables))
            place += described.tables.reduce(0) { $0 + $1.bytes }
        }
        guard try file.length() == place else { throw TransferError(.damaged, "the backup was cut off or extended") }
        for database in databases { try database.verify(report) }
        self.databases = databases
    }
}

/// The rows of one database in a backup. Every time the rows of a table are read, their digest is checked.
package struct BackupContent: DatabaseContent {
    fileprivate let file: DataFile
    /// The byte offset of the first row in the file.
    fileprivate let start: Int
    package let layout: DatabaseLayout
    fileprivate let tables: [BackupManifest.Table]

    package func forEachTable(_ body: (TableLayout, any RowCursor) throws -> Void) throws {
        var place = start
        for (table, described) in zip(layout.tables, tables) {
            let rows = BackupRows(file, at: place, described)
            try body(table, rows)
            // The digest is checked at the end of the rows.
            while try rows.next() != nil {}
            place += described.bytes
        }
    }

    /// Returns the rows of a small table.
    ///
    /// - Throws: ``TransferError``
    package func rows(of table: String) throws -> [Row] {
        var found: [Row] = []
        try forEachTable { layout, cursor in
            guard layout.name == table else { return }
            while let row = try cursor.next() { found.append(Row(names: layout.columns.map(\.name), values: row)) }
        }
        return found
    }

    fileprivate func verify(_ report: TransferProgress.Report) throws {
        try forEachTable { table, cursor in
            var count = 0
            while let row = try cursor.next() {
                do { try table.check(row) } catch {
                    throw TransferError(.damaged, "the rows of the table \(table.name) in the backup were changed")
                }
                count += 1
                if count.isMultiple(of: 1000) {
                    report(layout.progress(.reading, table, rows: count, isComplete: false))
                }
            }
            report(layout.progress(.reading, table, rows: count, isComplete: true))
        }
    }
}

/// Reads the rows of one table from a backup.
private final class BackupRows: RowCursor {
    private let file: DataFile
    private let table: BackupManifest.Table
    /// The byte offset in the file after the bytes in `buffer`.
    private var place: Int
    private let end: Int
    private var buffer: ArraySlice<UInt8> = []
    private var hash = SHA256()
    private var count = 0
    private var isChecked = false

    private static let chunk = 1 << 20

    init(_ file: DataFile, at start: Int, _ table: BackupManifest.Table) {
        (self.file, self.table, place, end) = (file, table, start, start + table.bytes)
    }

    func next() throws -> [SQL.Value]? {
        guard !buffer.isEmpty || place < end else {
            try finish()
            return nil
        }
        guard let length = RowCoding.length(try take(RowCoding.lengthSize)), length <= RowCoding.maximumLength,
            let row = RowCoding.row(try take(length))
        else { throw damaged }
        count += 1
        return row
    }

    private func take(_ count: Int) throws -> [UInt8] {
        while buffer.count < count {
            let part = try file.read(min(max(Self.chunk, count - buffer.count), end - place), at: place)
            guard !part.isEmpty else { throw damaged }
            hash.update(data: part)
            place += part.count
            buffer = buffer + part
        }
        defer { buffer = buffer.dropFirst(count) }
        return Array(buffer.prefix(count))
    }

    private func finish() throws {
        guard !isChecked else { return }
        guard count == table.rows, Hexadecimal.text(hash.finalize()) == table.sha256 else { throw damaged }
        isChecked = true
    }

    private var damaged: TransferError {
        TransferError(.damaged, "the rows of the table \(table.name) in the backup were cut off or changed")
    }
}
