// SPDX-License-Identifier: Apache-2.0
internal import GRDB
internal import Glibc

/// The embedded database: one file in write-ahead mode, `synchronous = FULL`, foreign keys enforced.
package struct SQLiteDatabase: Database {
    private let writer: any DatabaseWriter
    private let observers = Observers()

    /// Opens or creates the file at `path` (mode 0600) and applies the missing `migrations`.
    ///
    /// - Throws: ``StorageError``
    package init(path: String, migrations: [Migration]) async throws {
        try Self.createPrivately(path)
        let pool = try mapped { try DatabasePool(path: path, configuration: Self.configuration) }
        // GRDB sets `synchronous = NORMAL` when it switches a pool to WAL. FULL is needed, because an acknowledged
        // write must survive a power cut.
        try mapped { try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") } }
        writer = pool
        try await write { try $0.apply(migrations) }
    }

    /// Opens an in-memory database, for tests.
    ///
    /// - Throws: ``StorageError``
    package init(inMemoryWith migrations: [Migration]) async throws {
        writer = try mapped { try DatabaseQueue(configuration: Self.configuration) }
        try await write { try $0.apply(migrations) }
    }

    /// Opens an in-memory database with a copy of the contents of `other`, for tests.
    ///
    /// - Throws: ``StorageError``
    package init(inMemoryLike other: SQLiteDatabase) throws {
        writer = try mapped { try DatabaseQueue(configuration: Self.configuration) }
        try mapped { try other.writer.backup(to: writer) }
    }

    /// Only one process opens the file.
    package var isShared: Bool { false }

    package func read<T: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> T) async throws -> T {
        let reading: @Sendable (GRDB.Database) throws -> T = {
            try SQLiteConnection(database: $0, observers: nil).run(body)
        }
        do {
            // An in-memory database runs one access at a time, and `SQLiteConnection` refuses writes in a read. If GRDB
            // made SQLite refuse them as well, SQLite would recompile every statement afterwards.
            if let queue = writer as? DatabaseQueue { return try await queue.unsafeRead(reading) }
            return try await writer.read(reading)
        } catch let error as DatabaseError {
            throw StorageError(error)
        }
    }

    @discardableResult
    package func write<T: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> T) async throws -> T {
        do {
            return try await writer.write { [observers] in
                try SQLiteConnection(database: $0, observers: observers).run(body)
            }
        } catch let error as DatabaseError {
            throw StorageError(error)
        }
    }

    package func observe(_ observer: @escaping @Sendable (any Announcement) -> Void) { observers.add(observer) }

    package func exclusively<T: Sendable>(_ job: String, _ body: @Sendable () async throws -> T) async throws -> T? {
        try await body()
    }

    package func serverTime() async throws -> Timestamp? { nil }

    static var configuration: GRDB.Configuration {
        var configuration = GRDB.Configuration()
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(5)
        configuration.label = "storage"
        // Overwrites deleted or replaced content in pages that are written anyway.
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA secure_delete = FAST") }
        return configuration
    }

    /// Creates the file with mode 0600 if it does not exist. SQLite gives its side files the mode of the main file, so
    /// the mode must be right before SQLite writes anything.
    static func createPrivately(_ path: String) throws {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StorageError(.failed, "the database file cannot be opened, errno \(errno)") }
        close(descriptor)
    }
}

func mapped<T>(_ body: () throws -> T) throws -> T {
    do { return try body() } catch let error as DatabaseError { throw StorageError(error) }
}
