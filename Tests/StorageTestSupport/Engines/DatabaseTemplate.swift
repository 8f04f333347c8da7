// SPDX-License-Identifier: Apache-2.0
internal import Storage
internal import StoragePostgreSQL
internal import Synchronization
internal import TestSupport

/// A PostgreSQL database with an engine's tables. Each test gets a copy of it.
final class DatabaseTemplate: Sendable {
    private let cluster: PostgreSQLCluster
    private let schema: String
    private let migrations: [Migration]
    private let name: String
    private let administrator: ClusterAdministrator
    private let copies = Mutex(Copies())

    private struct Copies {
        var made = 0
        /// The number of copies that tests still use.
        var used = 0
        /// The copies that no test uses any more. They are dropped before the next copy is made.
        var unused: [String] = []
    }

    /// The maximum number of copies that tests use at once. It is far more than the number of tests that run at once.
    /// The limit exists because a test that kept its copies would fill the disk.
    private static let limit = 100

    init(schema: String, _ migrations: [Migration]) async throws {
        (self.schema, self.migrations) = (schema, migrations)
        cluster = try await PostgreSQLCluster.shared()
        name = try await cluster.makeDatabase()
        administrator = try ClusterAdministrator(of: cluster)
        // PostgreSQL copies a database only if nobody uses it, and waits up to five seconds until this is so.
        _ = try await PostgreSQLDatabase(configuration(of: name), migrations: migrations)
    }

    private func configuration(of name: String) -> PostgreSQLConfiguration {
        var configuration = PostgreSQLConfiguration(
            server: .socket(folder: cluster.folder), database: name, user: PostgreSQLCluster.superuser, schema: schema)
        configuration.limits.connections = 4
        return configuration
    }

    func makeCopy() async throws -> any Database { try await makeCopy(of: name, after: []) }

    /// Returns a copy of a database that ``makeCopy()`` made. The connections to `database` are cut first, because
    /// PostgreSQL copies a database only if nobody uses it. The pool of `database` then opens new ones.
    ///
    /// - Throws: ``TestProblem`` if ``makeCopy()`` did not make the database.
    func makeCopy(of database: any Database) async throws -> any Database {
        guard let original = (database as? DatabaseCopy)?.name else { throw TestProblem("the database is wrapped") }
        return try await makeCopy(
            of: original,
            after: [
                "ALTER DATABASE \(original) ALLOW_CONNECTIONS false",
                """
                DO $$ BEGIN
                    PERFORM pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(original)';
                END $$
                """,
            ], before: ["ALTER DATABASE \(original) ALLOW_CONNECTIONS true"])
    }

    private func makeCopy(of original: String, after first: [String], before last: [String] = []) async throws
        -> any Database
    {
        let (number, unused) = try copies.withLock { copies in
            guard copies.used < Self.limit else { throw TestProblem("the tests use too many databases at once") }
            copies.made += 1
            copies.used += 1
            defer { copies.unused = [] }
            return (copies.made, copies.unused)
        }
        let copy = "\(name)copy\(number)"
        // A copy of the files takes a tenth of the time that a copy through the log takes.
        try await administrator.run(
            unused.map { "DROP DATABASE \($0) WITH (FORCE)" } + first
                + ["CREATE DATABASE \(copy) TEMPLATE \(original) STRATEGY file_copy"] + last)
        return DatabaseCopy(
            try await PostgreSQLDatabase(configuration(of: copy), migrations: migrations), name: copy,
            atEnd: { [weak self] in
                self?.copies.withLock { copies in
                    copies.used -= 1
                    copies.unused.append(copy)
                }
            })
    }
}

/// A copy that is given back when nothing refers to it any more.
private final class DatabaseCopy: Database {
    let name: String
    private let database: PostgreSQLDatabase
    private let atEnd: @Sendable () -> Void

    init(_ database: PostgreSQLDatabase, name: String, atEnd: @escaping @Sendable () -> Void) {
        (self.database, self.name, self.atEnd) = (database, name, atEnd)
    }

    deinit { atEnd() }

    var isShared: Bool { database.isShared }

    func read<T: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> T) async throws -> T {
        try await database.read(body)
    }

    @discardableResult
    func write<T: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> T) async throws -> T {
        try await database.write(body)
    }

    func observe(_ observer: @escaping @Sendable (any Announcement) -> Void) { database.observe(observer) }

    func exclusively<T: Sendable>(_ job: String, _ body: @Sendable () async throws -> T) async throws -> T? {
        try await database.exclusively(job, body)
    }

    func serverTime() async throws -> Timestamp? { try await database.serverTime() }
}
