// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import Encodings

/// Writes a backup of several databases to one file.
package struct BackupWriter: Sendable {
    private let path: String

    /// - Parameter path: the file, which must not exist.
    package init(path: String) { self.path = path }

    /// Writes the backup. The file appears under its name only when it is complete and durable.
    ///
    /// The snapshots of the databases begin at the same time. Their rows are first written to nameless files in the
    /// same folder, so the folder's file system needs room for twice the backup.
    ///
    /// - Returns: the manifest.
    /// - Throws: ``TransferError`` `fileExists`, `file`; ``StorageError``
    package func write(
        _ sources: [any SnapshotSource], program: String, at time: Timestamp,
        _ report: @escaping TransferProgress.Report
    ) async throws -> BackupManifest {
        if let file = try? DataFile(reading: path) { throw TransferError(.fileExists, "\(file.path) exists already") }
        let spools = try await withThrowingTaskGroup(of: (Int, Spool).self) { group in
            for (index, source) in sources.enumerated() {
                let spool = try DataFile(creating: "\(path).\(source.layout.name).partial")
                try spool.removeName()
                group.addTask { (index, try await Spool(of: source, in: spool, report)) }
            }
            return try await group.reduce(into: [Int: Spool]()) { $0[$1.0] = $1.1 }
        }
        let ordered = sources.indices.compactMap { spools[$0] }
        let manifest = BackupManifest(
            program: program, createdAt: time.rawValue, databases: ordered.map(\.description))
        let file = try DataFile(creating: path + ".partial")
        do {
            let head = try ManifestCoding.bytes(manifest)
            try file.write(head, at: 0)
            var place = head.count
            for spool in ordered { try spool.copy(to: file, at: &place) }
            try file.publish(as: path)
        } catch {
            try? file.removeName()
            throw error
        }
        return manifest
    }
}

/// The rows of one database in a file without a name.
private struct Spool: Sendable {
    let file: DataFile
    let description: BackupManifest.Database

    /// The number of bytes that are written or copied at a time.
    private static let chunk = 1 << 20

    init(of source: any SnapshotSource, in file: DataFile, _ report: @escaping TransferProgress.Report) async throws {
        self.file = file
        let (layout, catalogue) = (source.layout, source.catalogue)
        let tables = try await source.snapshot { connection in
            try layout.check(connection, catalogue: catalogue)
            var place = 0
            return try layout.tables.map { table in
                let written = try Self.write(TableRows(of: table, connection), of: table, to: file, at: &place) {
                    report(layout.progress(.reading, table, rows: $0, isComplete: false))
                }
                report(layout.progress(.reading, table, rows: written.rows, isComplete: true))
                return written
            }
        }
        description = BackupManifest.Database(
            name: layout.name, engine: catalogue, steps: layout.steps, tables: tables)
    }

    private static func write(
        _ rows: TableRows, of table: TableLayout, to file: DataFile, at place: inout Int, _ report: (Int) -> Void
    ) throws -> BackupManifest.Table {
        let start = place
        var (hash, count, buffer) = (SHA256(), 0, [UInt8]())
        func flush() throws {
            hash.update(data: buffer)
            try file.write(buffer, at: place)
            place += buffer.count
            buffer.removeAll(keepingCapacity: true)
        }
        while let row = try rows.next() {
            try table.check(row)
            try RowCoding.append(row, to: &buffer)
            count += 1
            if buffer.count >= chunk { try flush() }
            if count.isMultiple(of: 1000) { report(count) }
        }
        try flush()
        return BackupManifest.Table(
            name: table.name, rows: count, bytes: place - start, sha256: Hexadecimal.text(hash.finalize()))
    }

    /// Copies the rows to another file and moves `place` to their end.
    func copy(to other: DataFile, at place: inout Int) throws {
        let length = try file.length()
        var done = 0
        while done < length {
            let part = try file.read(min(Self.chunk, length - done), at: done)
            guard !part.isEmpty else { throw TransferError(.file, "\(file.path) has become shorter") }
            try other.write(part, at: place)
            done += part.count
            place += part.count
        }
    }
}
