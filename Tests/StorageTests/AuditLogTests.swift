// SPDX-License-Identifier: Apache-2.0
import Storage
import StoragePostgreSQL
import TestSupport
import Testing

/// The audit log, which many nodes append to at once.
@Suite struct AuditLogTests {
    private static let tenant = TenantID(rawValue: "2f1c0a52-6f0e-4b1f-9f1c-8d2a4f3b7c10")
    private static let table = Migration(
        "audit",
        [
            """
            CREATE TABLE audit (
                tenant TEXT NOT NULL, position BIGINT NOT NULL, time BIGINT NOT NULL, actor TEXT NOT NULL,
                action TEXT NOT NULL, subject TEXT, outcome TEXT NOT NULL, repetitions BIGINT NOT NULL, method TEXT,
                detail TEXT, correlation TEXT, clientAddress TEXT, interface TEXT, PRIMARY KEY (tenant, position))
            """
        ])
    private static let noon = Timestamp(seconds: 1_800_000_000)

    private func append(
        _ subject: String, at time: Timestamp = noon, _ connection: any Connection
    ) throws {
        try AuditLog(connection).append(
            AuditLine(
                AuditAction(rawValue: "a"), tenant: try #require(Self.tenant), actor: "x", subject: subject, at: time))
    }

    private func subjects(_ database: any Database) async throws -> [String?] {
        let tenant = try #require(Self.tenant)
        return try await database.read { try AuditLog($0).latest(10_000, tenant: tenant).map(\.subject) }
    }

    @Test(arguments: Backend.allCases)
    func `lines are kept in the order in which one node wrote them, even if its clock is set back`(
        backend: Backend
    ) async throws {
        try await backend.with([Self.table]) { database in
            try await database.write { connection in
                for number in 0..<3 { try append("\(number)", connection) }
            }
            try await database.write { try append("3", $0) }
            try await database.write { try append("4", at: Self.noon - .seconds(3600), $0) }
            try await database.write { try append("5", at: Self.noon + .seconds(3600), $0) }
            #expect(try await subjects(database) == ["0", "1", "2", "3", "4", "5"])
        }
    }

    @Test(arguments: Backend.allCases)
    func `many lines can be written in one millisecond`(backend: Backend) async throws {
        try await backend.with([Self.table]) { database in
            try await database.write { connection in
                for number in 0..<2500 { try append("\(number)", connection) }
            }
            #expect(try await subjects(database) == (0..<2500).map { "\($0)" })
        }
    }

    @Test(arguments: Backend.allCases)
    func `equal events are counted for each address, and those of many addresses in one line`(
        backend: Backend
    ) async throws {
        try await backend.with([Self.table]) { database in
            let tenant = try #require(Self.tenant)
            func refuse(from address: String?, _ count: Int, at time: Timestamp = Self.noon) async throws {
                for _ in 0..<count {
                    try await AuditLog.$clientAddress.withValue(address) {
                        try await database.write { connection in
                            try AuditLog(connection).appendOrCount(
                                AuditLine(
                                    AuditAction(rawValue: "a"), tenant: tenant, actor: "unknown", subject: nil,
                                    outcome: "refused", at: time))
                        }
                    }
                }
            }
            func counts() async throws -> [String: [Int64]] {
                let lines = try await database.read { try AuditLog($0).latest(100, tenant: tenant) }
                return Dictionary(lines.map { ($0.clientAddress ?? "-", [$0.repetitions]) }, uniquingKeysWith: +)
            }
            for number in 0..<10 { try await refuse(from: "192.0.2.\(number)", 2) }
            for number in 10..<40 { try await refuse(from: "192.0.2.\(number)", 2) }
            try await refuse(from: "192.0.2.3", 1)
            var expected = Dictionary(uniqueKeysWithValues: (0..<10).map { ("192.0.2.\($0)", [Int64(2)]) })
            (expected["192.0.2.3"], expected["-"]) = ([3], [60])
            #expect(try await counts() == expected)
            // Later events are counted anew.
            try await refuse(from: "192.0.2.39", 1, at: Self.noon + .seconds(600))
            expected["192.0.2.39"] = [1]
            #expect(try await counts() == expected)
        }
    }

    @Test func `transactions that append at the same time do not conflict`() async throws {
        try await Backend.postgreSQL.with([Self.table]) { database in
            let attempts = Counter()
            try await withThrowingTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask {
                        for number in 0..<50 {
                            try await database.write { connection in
                                attempts.increment()
                                try append("\(number)", connection)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await subjects(database).count == 400)
            #expect(attempts.value == 400)
        }
    }
}
