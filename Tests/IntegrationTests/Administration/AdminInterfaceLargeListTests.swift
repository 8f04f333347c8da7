// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import AdminServer
import Foundation
import HTTPTypes
import IdentityPlatform
import MDMServer
import Storage
import StorageTestSupport
import TestSupport
import Testing

/// Lists of a tenant with 100,000 devices, groups, applications and enrollments.
@Suite(.timeLimit(.minutes(10))) struct AdminInterfaceLargeListTests {
    private func fill(_ fixture: TestAdministration) async throws {
        let tenant = fixture.tenant.id
        try await fixture.platform.database.write { connection in
            try connection.execute(
                """
                INSERT INTO device (tenant, id, objectID, displayName, operatingSystem, operatingSystemVersion,
                    trustType, profileType, accountEnabled, isManaged, certificateHash, certificateExpires, deviceKey,
                    transportKey, registered)
                \(NumberedRows.numbers)
                SELECT CAST(\(tenant) AS TEXT), '10000000-0000-4000-8000-' || \(NumberedRows.digits),
                    '20000000-0000-4000-8000-' || \(NumberedRows.digits), 'tablet ' || CAST(i % 50000 AS TEXT), 'Linux', '12',
                    'AzureAd', 'Shared', 1, 1, CAST(CAST(i AS TEXT) AS BLOB), 1, CAST('k' AS BLOB), CAST('k' AS BLOB), i
                FROM number
                """)
            try connection.execute(
                """
                INSERT INTO directoryGroup (tenant, id, displayName, mailNickname, created)
                \(NumberedRows.numbers) SELECT CAST(\(tenant) AS TEXT), '30000000-0000-4000-8000-' || \(NumberedRows.digits),
                    'group ' || CAST(i AS TEXT), 'g', 1
                FROM number
                """)
            try connection.execute(
                """
                INSERT INTO client (tenant, id, displayName, isBroker, created)
                \(NumberedRows.numbers) SELECT CAST(\(tenant) AS TEXT), '40000000-0000-4000-8000-' || \(NumberedRows.digits),
                    'client ' || CAST(i AS TEXT), 0, 1
                FROM number
                """)
            for table in ["device", "directoryGroup", "client"] as [SQL] { try connection.execute("ANALYZE \(table)") }
        }
        try await fixture.management.database.write { connection in
            try connection.execute(
                """
                INSERT INTO enrollment (tenant, id, name, fingerprint, state, udid, createdAt, expiresAt)
                \(NumberedRows.numbers)
                SELECT CAST(\(tenant) AS TEXT), 'e' || CAST(i AS TEXT), 'tablet ' || CAST(i AS TEXT),
                    'f' || CAST(i AS TEXT), 'bound', 'UDID-' || CAST(i AS TEXT), i, 9223372036854775807
                FROM number
                """)
            try connection.execute(
                """
                INSERT INTO device (tenant, udid, enrollment, name, state, changedAt)
                \(NumberedRows.numbers)
                SELECT CAST(\(tenant) AS TEXT), 'UDID-' || CAST(i AS TEXT), 'e' || CAST(i AS TEXT),
                    'tablet ' || CAST(i % 50000 AS TEXT), 'enrolled', 0
                FROM number
                """)
            for table in ["device", "enrollment"] as [SQL] { try connection.execute("ANALYZE \(table)") }
        }
    }

    private static let lists = [
        IdentityAdmin.listDevices.operation, IdentityAdmin.listGroups.operation, IdentityAdmin.listClients.operation,
        MDMAdmin.listManagedDevices.operation, MDMAdmin.listEnrollments.operation,
    ]

    @Test func `no page of a list reads a whole table`() async throws {
        let scans = FullScans()
        let (directories, managements) = (
            EngineDatabases(schema: "identity", IdentitySchema.migrations),
            EngineDatabases(schema: "mdm", MDMSchema.migrations)
        )
        let fixture = try await TestAdministration(
            directory: PlannedDatabase(try await directories.make(), recordingIn: scans),
            devices: PlannedDatabase(try await managements.make(), recordingIn: scans))
        try await fill(fixture)
        let token = try await fixture.token(of: fixture.admin)
        let beginnings = ["listDevices": "tablet 4", "listGroups": "group 4", "listManagedDevices": "tablet 4"]
        let limited = Self.lists.compactMap { operation in
            beginnings[operation.id].map { (operation, [("startsWith", $0), ("limit", "50")]) }
        }
        for (operation, query) in Self.lists.map({ ($0, [("limit", "50")]) }) + limited {
            scans.reset()
            var path = operation.path(["tenant": "-"], query: query)
            for _ in 1...3 {
                let answer = try await fixture.send(.get, path, token: token)
                let link = try #require(answer.link, "\(answer.text)")
                path = String(link.dropFirst().prefix { $0 != ">" })
            }
            #expect(scans.planned > 10)
            // PostgreSQL reads small tables as a whole.
            let large = ["device", "directoryGroup", "client", "enrollment"]
            let found = scans.found.filter { step in
                !fixture.platform.database.isShared
                    || large.contains { step.contains("Seq Scan on \"\($0)\"") || step.contains("Seq Scan on \($0)") }
            }
            #expect(found.isEmpty, "\(operation.id): \(found)")
        }
    }

    /// The budget (docs/performance.md): the first page of any list within 50 ms.
    @Test func `the first page of a list of 100000 items takes at most 50 ms`() async throws {
        let fixture = try await TestAdministration()
        try await fill(fixture)
        let token = try await fixture.token(of: fixture.admin)
        for operation in Self.lists {
            var durations: [Duration] = []
            for _ in 0..<60 {
                let begin = ContinuousClock.now
                let answer = try await fixture.call(operation, token: token)
                durations.append(ContinuousClock.now - begin)
                #expect(answer.status == .ok)
            }
            durations.sort()
            let late = durations[56]
            print("\(operation.id) of \(NumberedRows.count) on \(EngineDatabase.chosen): p95 \(late)")
            // In continuous integration, other tests share the processors, and the code is not optimised.
            #expect(late < (Soak.isRunning ? .milliseconds(50) : .seconds(2)), "\(operation.id)")
        }
    }
}

extension TestResponse {
    /// The header field `Link`.
    fileprivate var link: String? { headers[AdminFieldName.link.field] }
}
