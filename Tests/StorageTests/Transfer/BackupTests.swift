// SPDX-License-Identifier: Apache-2.0
import Foundation
import Storage
import StoragePostgreSQL
import Synchronization
import TestSupport
import Testing

/// Backups of both databases, and what is restored from them.
@Suite struct BackupTests {
    private static let time = Timestamp(seconds: 1_800_000_000)
    private static let schemas = [TransferFixture.shops, TransferFixture.stock]

    private static func open(_ path: String) async throws -> BackupFile {
        try await BackupFile(path: path, schemas: schemas, TransferFixture.silent)
    }

    @discardableResult
    private static func write(_ sources: [any SnapshotSource], to path: String) async throws -> BackupManifest {
        try await BackupWriter(path: path).write(sources, program: "1.2.3", at: time, TransferFixture.silent)
    }

    @Test func `a backup of either database can be restored into either database`() async throws {
        try await TransferFixture.with { fixture in
            try await TransferTarget.with { target in
                let files = try await fixture.files()
                _ = try await target.copy(files)
                let sources: [[any SnapshotSource]] = [files, try await target.sources()]
                for (index, source) in sources.enumerated() {
                    let path = fixture.scratch.path("backup-\(index)")
                    let manifest = try await Self.write(source, to: path)
                    #expect(manifest.databases.map(\.rows) == [356, 2])
                    #expect(
                        manifest.databases.map(\.engine)
                            == (index == 0 ? [.sqlite, .sqlite] : [.postgreSQL, .postgreSQL]))
                    let backup = try await Self.open(path)
                    #expect(backup.manifest == manifest)
                    // Restore into new SQLite files.
                    for (content, schema) in zip(backup.databases, Self.schemas) {
                        let file = fixture.scratch.path("restored-\(schema.name)-\(index)")
                        try await SQLiteFile.write(content, to: file, TransferFixture.silent)
                        let restored = try await SQLiteFile(path: file, schema: schema)
                        #expect(try await content.compare(with: restored, TransferFixture.silent) > 0)
                        #expect(try mode(of: file) == 0o600)
                        #expect(!FileManager.default.fileExists(atPath: file + "-journal"))
                    }
                    // Restore into PostgreSQL, over other data.
                    try await target.open().write(backup.databases, isReplacing: true, TransferFixture.silent)
                    for (content, source) in zip(backup.databases, try await target.sources()) {
                        #expect(try await content.compare(with: source, TransferFixture.silent) > 0)
                    }
                }
                // Both backups contain the same bytes after their manifests.
                let contents = try [0, 1].map { index in
                    try Data(contentsOf: URL(filePath: fixture.scratch.path("backup-\(index)")))
                        .split(separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: false)[2]
                }
                #expect(contents[0].count > 10_000 && contents[0] == contents[1])
            }
        }
    }

    @Test func `a backup is private, complete under its name, and never replaces a file`() async throws {
        try await TransferFixture.with { fixture in
            let path = fixture.scratch.path("backup")
            // A file that an interrupted backup left behind.
            try fixture.scratch.write("rest", to: "backup.partial")
            let files = try await fixture.files()
            try await Self.write(files, to: path)
            #expect(try mode(of: path) == 0o600)
            let names = try FileManager.default.contentsOfDirectory(atPath: fixture.scratch.path)
            #expect(names.filter { $0.hasPrefix("backup") } == ["backup"])
            let head = try #require(
                String(bytes: try Data(contentsOf: URL(filePath: path)).prefix(2000), encoding: .isoLatin1))
            #expect(
                head.hasPrefix("baton-backup 1 ") && head.contains(#""program":"1.2.3""#)
                    && head.contains("1800000000000"))
            let before = try Data(contentsOf: URL(filePath: path))
            _ = await transferRefusal(.fileExists) { try await Self.write(files, to: path) }
            #expect(try Data(contentsOf: URL(filePath: path)) == before)
            _ = await transferRefusal(.file) { try await Self.write(files, to: fixture.scratch.path("none/backup")) }
        }
    }

    @Test func `no byte of a backup can be changed, removed or added`() async throws {
        try await Scratch.with { scratch in
            let fixture = TransferFixture(scratch: scratch)
            let stock = try await fixture.database(TransferFixture.stock)
            try await stock.write { try $0.execute("INSERT INTO item (id, count) VALUES ('a', 1), ('b', 2)") }
            let source = try await SQLiteFile(path: fixture.path(TransferFixture.stock), schema: TransferFixture.stock)
            let path = scratch.path("backup")
            try await Self.write([source], to: path)
            let whole = try Data(contentsOf: URL(filePath: path))
            func check(_ data: Data, _ what: String) async throws {
                let copy = scratch.path("copy")
                try data.write(to: URL(filePath: copy))
                let error = await #expect(throws: TransferError.self, "\(what)") {
                    _ = try await BackupFile(path: copy, schemas: [TransferFixture.stock], TransferFixture.silent)
                }
                #expect(
                    error.map { [.damaged, .notABackup, .newer].contains($0.code) } == true,
                    "\(what): \(error?.message ?? "")")
            }
            for place in whole.indices {
                var changed = whole
                changed[place] ^= 1
                try await check(changed, "byte \(place) changed")
                try await check(whole[..<place], "cut off at \(place)")
            }
            try await check(whole + [0], "extended")
            _ = try await BackupFile(path: path, schemas: [TransferFixture.stock], TransferFixture.silent)
            let others = await transferRefusal(.notABackup) { _ = try await Self.open(path) }
            #expect(others.contains("other databases"))
            _ = await transferRefusal(.notABackup) { _ = try await Self.open(fixture.path(TransferFixture.stock)) }
            _ = await transferRefusal(.notABackup) { _ = try await Self.open(scratch.path) }
            _ = await transferRefusal(.file) { _ = try await Self.open(scratch.path("none")) }
        }
    }

    @Test(arguments: [true, false])
    func `a backup is one state, whatever is written meanwhile`(isPostgreSQL: Bool) async throws {
        try await TransferFixture.with { fixture in
            try await TransferTarget.with { target in
                let files = try await fixture.files()
                _ = try await target.copy(files)
                let database: any Database =
                    if isPostgreSQL {
                        try await PostgreSQLDatabase(target.shops, migrations: TransferFixture.shops.migrations)
                    } else {
                        try await fixture.database(TransferFixture.shops)
                    }
                let source: any SnapshotSource = if isPostgreSQL { try await target.sources()[0] } else { files[0] }
                let hasWritten = Mutex(false)
                let path = fixture.scratch.path("backup")
                let manifest = try await BackupWriter(path: path).write([source], program: "1", at: Self.time) { step in
                    guard step.table == "migration", step.isComplete else { return }
                    guard
                        hasWritten.withLock({ had in
                            defer { had = true }
                            return !had
                        })
                    else { return }
                    // One table has been read, and the next one has not. This write is acknowledged before the backup
                    // ends.
                    waiting { try await database.write { _ = try $0.execute("DELETE FROM store") } }
                }
                let wrote = hasWritten.withLock { $0 }
                #expect(wrote)
                #expect(manifest.databases[0].tables.map(\.rows).reduce(0, +) == 356)
                let rest: Int? = try await database.read { try $0.row("SELECT COUNT(*) AS count FROM clerk")?["count"] }
                #expect(rest == 0)
            }
        }
    }

    @Test func `a restore that fails leaves no file behind`() async throws {
        try await TransferFixture.with { fixture in
            let path = fixture.scratch.path("backup")
            try await Self.write(try await fixture.files(), to: path)
            let backup = try await Self.open(path)
            // The file changes after it was verified.
            let handle = try FileHandle(forUpdating: URL(filePath: path))
            try handle.seekToEnd()
            try handle.seek(toOffset: handle.offset() - 1000)
            try handle.write(contentsOf: [77])
            let target = fixture.scratch.path("restored")
            for content in backup.databases {
                do {
                    try await SQLiteFile.write(content, to: target, TransferFixture.silent)
                } catch let error as TransferError {
                    #expect(error.code == .damaged)
                    #expect(!FileManager.default.fileExists(atPath: target))
                    return
                }
                try FileManager.default.removeItem(atPath: target)
            }
            Issue.record("the change was not noticed")
        }
    }
}

private func mode(of path: String) throws -> Int {
    try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
}

/// Runs `body` and blocks the thread until it is done.
private func waiting(_ body: @escaping @Sendable () async throws -> Void) {
    let done = DispatchSemaphore(value: 0)
    Task.detached {
        do { try await body() } catch { Issue.record(error) }
        done.signal()
    }
    done.wait()
}
