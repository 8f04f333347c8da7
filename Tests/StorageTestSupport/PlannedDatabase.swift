// SPDX-License-Identifier: Apache-2.0
package import Storage
private import Synchronization

/// A database that asks SQLite for the plan of each statement before it runs, and records the statements that read a
/// whole table or a whole index. The time of such a statement grows with the table.
package struct PlannedDatabase: DatabaseLayer {
    package let database: any Database
    private let scans: FullScans

    package init(_ database: any Database, recordingIn scans: FullScans) {
        (self.database, self.scans) = (database, scans)
    }

    package func read<T: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> T) async throws -> T {
        try await database.read { [scans] in try body(PlannedConnection(connection: $0, scans: scans)) }
    }

    @discardableResult
    package func write<T: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> T) async throws -> T {
        try await database.write { [scans] in try body(PlannedConnection(connection: $0, scans: scans)) }
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

    /// Records the steps that visit every row (sqlite.org, "EXPLAIN QUERY PLAN", section 1.1).
    private func plan(_ sql: SQL) throws {
        let steps = try connection.rows("EXPLAIN QUERY PLAN \(sql)").map { try $0["detail"] as String }
        // Scans of rows that the statement itself makes are ignored, because such rows are few.
        let scanned = steps.filter { $0.hasPrefix("SCAN ") && !$0.hasPrefix("SCAN (") && $0 != "SCAN CONSTANT ROW" }
        scans.record(scanned, of: sql.pieces.joined(separator: "?"))
    }
}
