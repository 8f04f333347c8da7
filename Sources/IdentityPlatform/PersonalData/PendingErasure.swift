// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import Storage

/// The erasure of a person whose id still has to be replaced in the audit log.
struct PendingErasure: Record {
    let tenant: TenantID
    let person: UserID
    let pseudonym: String
    let begun: Timestamp
    /// Whether the whole audit log has been read once.
    let isPassed: Bool

    static let table = "erasure"
    enum Column: String, ColumnName { case tenant, person, pseudonym, begun, passed }

    init(tenant: TenantID, person: UserID, pseudonym: String, begun: Timestamp) {
        (self.tenant, self.person, self.pseudonym) = (tenant, person, pseudonym)
        (self.begun, isPassed) = (begun, false)
    }

    init(_ row: TableRow<PendingErasure>) throws {
        (tenant, person) = (try row[.tenant], try row[.person])
        (pseudonym, begun, isPassed) = (try row[.pseudonym], try row[.begun], try row[.passed])
    }

    /// Stores the erasure, in the transaction that removes the person.
    ///
    /// - Throws: ``StorageError``
    func begin(_ connection: any Connection) throws {
        try connection.insert(
            into: PendingErasure.self,
            [.tenant: tenant, .person: person, .pseudonym: pseudonym, .begun: begun, .passed: false])
    }
}

/// Replaces the ids of erased people in the audit log with their pseudonyms.
///
/// The log is read page by page, so that sign-ins do not wait. If the node stops before the work is done, a round of
/// ``Housekeeping`` continues it. ``Housekeeping`` also reads the newest lines again at least a minute after the
/// erasure began: a transaction that began before the erasure may have added a line.
struct Erasures: Sendable {
    let database: any Database
    let environment: ClockAndRandomness

    private static let pause = Duration.seconds(60)

    /// Reads the whole log once.
    ///
    /// - Returns: how many lines named the person.
    /// - Throws: ``StorageError``
    func pass(_ erasure: PendingErasure) async throws -> Int {
        let changed = try await replace(erasure, since: Timestamp(rawValue: 0))
        try await database.write { connection in
            try connection.execute(
                """
                UPDATE erasure SET passed = 1 WHERE tenant = \(erasure.tenant) AND person = \(erasure.person)
                """)
        }
        return changed
    }

    /// Continues the erasures of an organisation, and finishes those that are due.
    ///
    /// - Returns: how many erasures advanced.
    /// - Throws: ``StorageError``
    func advance(_ tenant: TenantID) async throws -> Int {
        let now = environment.now()
        let open = try await database.read { try $0.records(PendingErasure.self, "WHERE tenant = \(tenant)") }
        var advanced = 0
        for erasure in open where !erasure.isPassed || erasure.begun + Self.pause <= now {
            advanced += 1
            guard erasure.isPassed else {
                _ = try await pass(erasure)
                continue
            }
            _ = try await replace(erasure, since: erasure.begun - Self.pause)
            try await database.write { connection in
                try connection.execute(
                    "DELETE FROM erasure WHERE tenant = \(erasure.tenant) AND person = \(erasure.person)")
            }
        }
        return advanced
    }

    private func replace(_ erasure: PendingErasure, since time: Timestamp) async throws -> Int {
        var pages = AuditLog.Pages(database, tenant: erasure.tenant, in: AuditPeriod(from: time))
        var changed = 0
        while let page = try await pages.next() {
            let found = page.filter { $0.names(erasure.person.rawValue) }
            guard !found.isEmpty else { continue }
            changed += found.count
            try await database.write { connection in
                try AuditLog(connection).replace(
                    erasure.person.rawValue, with: erasure.pseudonym, in: found, tenant: erasure.tenant)
            }
        }
        return changed
    }
}

enum ErasureSchema {
    static let migrations = [
        Migration(
            "erasures",
            [
                """
                CREATE TABLE erasure (
                    tenant TEXT NOT NULL REFERENCES tenant (id), person TEXT NOT NULL, pseudonym TEXT NOT NULL,
                    begun BIGINT NOT NULL, passed BIGINT NOT NULL, PRIMARY KEY (tenant, person))
                """
            ])
    ]
}
