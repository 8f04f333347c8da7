// SPDX-License-Identifier: Apache-2.0

/// One step of a schema's history. Each step is applied once, in order, and must not be edited afterwards.
///
/// The steps of a release form one version of the schema. A program's schema version is the highest version among its
/// steps.
package struct Migration: Sendable {
    package let id: String
    /// The version of the schema to which the step belongs.
    let version: Int64
    /// The lowest schema version of programs that may use the database after this step.
    let lowest: Int64
    let statements: [SQL]

    /// - Parameters:
    ///   - version: the version of the schema to which the step belongs; one more than that of the last release.
    ///   - allowsPrevious: whether every statement of the previous version gives the right result after this step, and
    ///     whether the version of this step can work with what those statements write. Otherwise, all programs of the
    ///     previous version must stop before a program applies the step.
    package init(_ id: String, version: Int64 = 1, allowsPrevious: Bool = false, _ statements: [SQL]) {
        self.id = id
        self.version = version
        lowest = allowsPrevious ? version - 1 : version
        self.statements = statements
    }

    /// The FNV-1a hash of the text. It detects accidental edits, not deliberate ones.
    var checksum: String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in statements.map({ $0.text { "?\($0)" } }).joined(separator: ";\n").utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        return String(hash, radix: 16)
    }
}

extension Connection {
    /// Applies those `migrations` that the database does not have yet, all in this connection's transaction.
    ///
    /// Steps are identified by id, not by position, because a step may be added to one feature's list after the steps
    /// of later features were applied. A step may depend only on steps before it in the list.
    ///
    /// - Throws: ``StorageError`` `newer` if the program is too old for the database; `migrationChanged` if the text of
    ///   an applied step has changed or two steps have the same id.
    package func apply(_ migrations: [Migration]) throws {
        guard Set(migrations.map(\.id)).count == migrations.count else {
            throw StorageError(.migrationChanged, "two steps have the same id")
        }
        try prepareMigrationTable(for: migrations)
        guard !migrations.isEmpty else { return }
        let applied = try appliedSteps()
        try check(applied, against: migrations)
        var position = applied.count
        for migration in migrations where applied[migration.id] == nil {
            for statement in migration.statements { try execute(statement) }
            try execute(
                """
                INSERT INTO migration (id, position, checksum, version, lowest)
                VALUES (\(migration.id), \(position), \(migration.checksum), \(migration.version), \(migration.lowest))
                """)
            position += 1
        }
    }

    /// Checks that a program with these `migrations`, which have been applied, may still use the database. A newer
    /// program may have applied further steps since.
    ///
    /// - Throws: ``StorageError`` `newer` if the program is too old for the database.
    package func checkSchema(_ migrations: [Migration]) throws { try check(appliedSteps(), against: migrations) }

    /// Creates the table of applied steps. If the table was created before steps had versions, adds the columns for
    /// them.
    private func prepareMigrationTable(for migrations: [Migration]) throws {
        try execute(
            """
            CREATE TABLE IF NOT EXISTS migration (
                id TEXT NOT NULL PRIMARY KEY, position BIGINT NOT NULL UNIQUE, checksum TEXT NOT NULL)
            """)
        let sample = try row("SELECT * FROM migration ORDER BY position LIMIT 1")
        guard !migrations.isEmpty else {
            guard sample == nil else { throw StorageError(.newer, "the database has steps, and this program has none") }
            return
        }
        // An empty table does not have these columns: the transaction that adds them also adds the first row.
        guard sample?.names.contains("lowest") != true else { return }
        try execute("ALTER TABLE migration ADD COLUMN version BIGINT NOT NULL DEFAULT 1")
        try execute("ALTER TABLE migration ADD COLUMN lowest BIGINT NOT NULL DEFAULT 1")
    }

    private func appliedSteps() throws -> [String: AppliedStep] {
        let rows = try rows("SELECT id, checksum, version, lowest FROM migration ORDER BY position")
        return Dictionary(uniqueKeysWithValues: try rows.map { (try $0["id"], try AppliedStep($0)) })
    }

    private func check(_ applied: [String: AppliedStep], against migrations: [Migration]) throws {
        for migration in migrations {
            guard let step = applied[migration.id], step.checksum != migration.checksum else { continue }
            throw StorageError(.migrationChanged, "step \(migration.id) differs from the one applied")
        }
        let own = migrations.map(\.version).max() ?? 0
        let known = Set(migrations.map(\.id))
        let unknown = applied.filter { !known.contains($0.key) }
        for (id, step) in unknown.sorted(by: { $0.key < $1.key }) where !step.allows(own) {
            throw StorageError(
                .newer,
                """
                the database is newer than this program, which has schema version \(own) and does not know the step \
                "\(id)" of version \(step.version), for which programs need version \(step.lowest) or later; start the \
                newer program
                """)
        }
        // A newer program has all steps of the versions before its own.
        if !unknown.isEmpty, let missing = migrations.first(where: { applied[$0.id] == nil }) {
            throw StorageError(
                .newer, "the database has another history than this program: it has no step \"\(missing.id)\"")
        }
    }
}

/// A step that has been applied to a database, as the database records it.
private struct AppliedStep {
    let checksum: String
    let version: Int64
    let lowest: Int64

    init(_ row: Row) throws {
        (checksum, version, lowest) = (try row["checksum"], try row["version"], try row["lowest"])
    }

    /// Whether a program that has schema version `program` and does not know the step may use the database.
    func allows(_ program: Int64) -> Bool { lowest < version && lowest <= program }
}
