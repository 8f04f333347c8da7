// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import Storage

/// App packages in the database. They are stored in parts, so that no node holds a whole package in memory.
struct PackageTable: PackageStore {
    let database: any Database
    let sources: MDMSources

    /// The maximum size of a part.
    static let part = 1 << 20

    func store(_ path: String) async throws -> StoredPackage {
        let source = try await onFileThread { try PackageSource(path) }
        let copy = PackageCopyID(rawValue: sources.uuid())
        let now = sources.now()
        try await database.write { connection in
            try connection.insert(into: PackageCopy.self, [.id: copy, .touchedAt: now])
        }
        do {
            var parts = 0
            while let piece = try await onFileThread({ try source.next(Self.part) }) {
                try await add(Array(piece), number: parts, to: copy)
                parts += 1
            }
            let package = try source.package
            do { try await finish(copy, package, parts: parts) } catch let error as StorageError
                where error.code == .conflict
            {
                // Another node stored the same package at the same time.
                try await finish(copy, package, parts: parts)
            }
            return package
        } catch {
            await discard(copy)
            throw error
        }
    }

    private func add(_ bytes: [UInt8], number: Int, to copy: PackageCopyID) async throws {
        let now = sources.now()
        try await database.write { connection in
            guard try connection.execute("UPDATE package SET touchedAt = \(now) WHERE id = \(copy)") == 1 else {
                throw Self.abandoned
            }
            try connection.insert(into: PackagePart.self, [.package: copy, .number: number, .bytes: bytes])
        }
    }

    /// Makes the copy a package, unless the store has the same package already.
    private func finish(_ copy: PackageCopyID, _ package: StoredPackage, parts: Int) async throws {
        let now = sources.now()
        try await database.write { connection in
            let former = try connection.execute(
                "UPDATE package SET touchedAt = \(now) WHERE sha256 = \(package.sha256) AND id <> \(copy)")
            if former == 1 {
                try connection.execute("DELETE FROM package WHERE id = \(copy)")
                return
            }
            let changed = try connection.execute(
                """
                UPDATE package SET sha256 = \(package.sha256), size = \(package.size), parts = \(parts),
                    touchedAt = \(now)
                WHERE id = \(copy)
                """)
            guard changed == 1 else { throw Self.abandoned }
        }
    }

    /// The refusal if a sweep removed the copy because this node did not continue it for a long time.
    private static var abandoned: MDMAdminRefusal {
        MDMAdminRefusal(.unwritableStore, "The package was not stored in time.", remedy: "Add the app again.")
    }

    private func discard(_ copy: PackageCopyID) async {
        do {
            try await database.write { try $0.execute("DELETE FROM package WHERE id = \(copy) AND sha256 IS NULL") }
        } catch {
            // A later sweep removes the copy.
            Logger.current.warning("an unfinished package was not removed", metadata: ["error": "\(error)"])
        }
    }

    func confirm(_ package: StoredPackage, in connection: any Connection) throws {
        guard try connection.exists(PackageCopy.self, "WHERE sha256 = \(package.sha256)") else { throw Self.abandoned }
    }

    func body(digest: String, context: some RequestContext) async throws -> ResponseBody {
        guard let package = try await database.read({ try $0.record(PackageCopy.self, "WHERE sha256 = \(digest)") })
        else {
            Logger.current.error("a package is missing in the database", metadata: ["package.sha256": "\(digest)"])
            throw HTTPError(.serviceUnavailable)
        }
        return ResponseBody(contentLength: package.size.map(Int.init)) { [database] writer in
            for number in 0..<(package.parts ?? 0) {
                // A missing part is an error. In that case, the device gets an incomplete body, and tries again later.
                let bytes: [UInt8]? = try await database.read { connection in
                    try connection.value(
                        .bytes, of: PackagePart.self, "WHERE package = \(package.id) AND number = \(number)")
                }
                guard let bytes else { throw HTTPError(.serviceUnavailable) }
                try await writer.write(ByteBuffer(bytes: bytes))
            }
            try await writer.finish(nil)
        }
    }

    /// Removes unfinished copies that were not continued, and packages that no app needs any more.
    func sweep() async throws {
        let oldest = sources.now() - abandonedCopyAge
        try await database.write { connection in
            try connection.execute(
                """
                DELETE FROM package WHERE touchedAt < \(oldest)
                    AND (sha256 IS NULL OR NOT EXISTS (SELECT 1 FROM app WHERE app.sha256 = package.sha256))
                """)
        }
    }

    /// Copies packages from the folder that a single node used before. Copies only packages that apps need and that are
    /// not in the database yet.
    func adopt(_ folder: String) async throws {
        let names = try await onFileThread {
            let files = FileManager.default
            return files.fileExists(atPath: folder) ? try files.contentsOfDirectory(atPath: folder) : []
        }
        for name in names where name.utf8.count == 64 {
            let isMissing = try await database.read { connection in
                try connection.exists(OfferedApp.self, "WHERE sha256 = \(name)")
                    && !connection.exists(PackageCopy.self, "WHERE sha256 = \(name)")
            }
            guard isMissing else { continue }
            _ = try await store("\(folder)/\(name)")
            Logger.current.info("a package was copied to the database", metadata: ["package.sha256": "\(name)"])
        }
    }
}

typealias PackageCopyID = ForeignID<PackageCopy>

/// A package in the database, or an unfinished copy.
struct PackageCopy: Record {
    let id: PackageCopyID
    /// Nil for an unfinished copy.
    let size: Int64?
    let parts: Int?

    static let table = "package"
    static let unread: Set<Column> = [.sha256, .touchedAt]
    enum Column: String, ColumnName { case id, sha256, size, parts, touchedAt }

    init(_ row: TableRow<PackageCopy>) throws {
        (id, size, parts) = (try row[.id], try row[.size], try row[.parts])
    }

    /// Unfinished copies have no digest. `touchedAt` is when a copy was last continued, or the package last added.
    static let statements: [SQL] = [
        """
        CREATE TABLE package (
            id TEXT NOT NULL PRIMARY KEY, sha256 TEXT UNIQUE, size BIGINT, parts BIGINT, touchedAt BIGINT NOT NULL)
        """,
        """
        CREATE TABLE packagePart (
            package TEXT NOT NULL REFERENCES package (id) ON DELETE CASCADE, number BIGINT NOT NULL,
            bytes BLOB NOT NULL, PRIMARY KEY (package, number))
        """, "CREATE INDEX appByDigest ON app (sha256)",
    ]
}

/// A part of a package.
private enum PackagePart: Table {
    static let table = "packagePart"
    enum Column: String, ColumnName { case package, number, bytes }
}
