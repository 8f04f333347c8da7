// SPDX-License-Identifier: Apache-2.0
package import Storage
private import Synchronization

/// A database that asks for the plan of each statement before it runs, and records the statements that read a whole
/// table or, on SQLite, a whole index. The time of such a statement grows with the table.
///
/// PostgreSQL also reads a whole table if the table is small.
package struct PlannedDatabase: DatabaseLayer {
    package let database: any Database
    private let scans: FullScans

    package init(_ database: any Database, recordingIn scans: FullScans) {
        (self.database, self.scans) = (database, scans)
    }

    package func read<T: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> T) async throws -> T {
        try await database.read { [scans, isShared] in
            try body(PlannedConnection(connection: $0, isPostgreSQL: isShared, scans: scans))
        }
    }

    @discardableResult
    package func write<T: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> T) async throws -> T {
        try await database.write { [scans, isShared] in
            try body(PlannedConnection(connection: $0, isPostgreSQL: isShared, scans: scans))
        }
    }
}

/// Records the statements that read a whole table or index, and counts all statements whose plan was read.
package final class FullScans: Sendable {
    private let state = Mutex<(planned: Int, found: Set<String>)>((0, []))

    package init() {}

    /// The number of statements whose plan was read.
    package var planned: Int { state.withLock(\.planned) }
    /// Each recorded step of a plan, with its statement.
    package var found: Set<String> { state.withLock(\.found) }

    /// Forgets what was recorded so far, for example while the test prepared its tables.
    package func reset() { state.withLock { $0 = (0, []) } }

    fileprivate func record(_ steps: [String], of statement: String) {
        state.withLock { state in
            state.planned += 1
            state.found.formUnion(steps.map { "\($0): \(statement)" })
        }
    }
}

private struct PlannedConnection: Connection {
    let connection: any Connection
    let isPostgreSQL: Bool
    let scans: FullScans

    func execute(_ sql: SQL) throws -> Int {
        try plan(sql)
        return try connection.execute(sql)
    }

    func rows(_ sql: SQL) throws -> [Row] {
        try plan(sql)
        return try connection.rows(sql)
    }

    func announce(_ announcement: any Announcement) throws { try connection.announce(announcement) }

    private func plan(_ sql: SQL) throws {
        // This statement has no plan.
        guard !sql.pieces[0].hasPrefix("ANALYZE") else { return }
        let steps = isPostgreSQL ? try sequentialScans(sql) : try scannedTables(sql)
        scans.record(steps, of: sql.pieces.joined(separator: "?"))
    }

    /// Returns the steps that visit every row (sqlite.org, "EXPLAIN QUERY PLAN", section 1.1).
    private func scannedTables(_ sql: SQL) throws -> [String] {
        let steps = try connection.rows("EXPLAIN QUERY PLAN \(sql)").map { try $0["detail"] as String }
        // Scans of rows that the statement itself makes are ignored, because such rows are few.
        let made = steps.compactMap { step in
            ["CO-ROUTINE ", "MATERIALIZE "].first(where: step.hasPrefix).map { "SCAN " + step.dropFirst($0.count) }
        }
        return steps.filter {
            $0.hasPrefix("SCAN ") && !$0.hasPrefix("SCAN (") && $0 != "SCAN CONSTANT ROW" && !made.contains($0)
        }
    }

    /// Returns the steps that visit every row of a table (PostgreSQL's documentation, "Using EXPLAIN").
    private func sequentialScans(_ sql: SQL) throws -> [String] {
        try connection.rows("EXPLAIN (COSTS OFF) \(sql)").map { try $0["QUERY PLAN"] as String }
            .filter { $0.contains("Seq Scan on ") }
    }
}
