// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import Foundation
import HTTPTypes
import MDMServer
import Storage
import StorageTestSupport
import TestSupport
import Testing

/// The plans of the statements that find named objects, in a large fleet. No plan may read a whole table.
@Suite struct NamePlanTests {
    private func fill(_ database: any Database) async throws {
        let (tenant, isPostgreSQL) = (TestMDM.tenant, database.isShared)
        try await database.write { connection in
            try connection.execute(
                """
                INSERT INTO enrollment (tenant, id, name, fingerprint, state, udid, createdAt, expiresAt)
                VALUES (\(tenant), 'e', 'e', 'f', 'bound', NULL, 0, 1)
                """)
            try connection.execute(
                """
                INSERT INTO device (tenant, udid, enrollment, name, state, serialNumber, changedAt, directoryID,
                    directoryObjectID, directoryName)
                \(NumberedRows.numbers)
                SELECT CAST(\(tenant) AS TEXT), 'UDID-' || CAST(i AS TEXT), 'e',
                    CASE WHEN i % 1000 = 0 THEN 'spare' ELSE 'tablet ' || CAST(i AS TEXT) END, 'enrolled',
                    'SERIAL-' || CAST(i AS TEXT), 0, '10000000-0000-4000-8000-' || \(NumberedRows.digits),
                    '20000000-0000-4000-8000-' || \(NumberedRows.digits), 'device ' || CAST(i AS TEXT)
                FROM number
                """)
            try connection.execute(
                """
                INSERT INTO profile (tenant, identifier, uuid, displayName, body)
                \(NumberedRows.numbers) SELECT CAST(\(tenant) AS TEXT), 'com.contoso.n' || CAST(i AS TEXT), 'u',
                    'profile ' || CAST(i AS TEXT), CAST('b' AS BLOB)
                FROM number
                """)
            try connection.execute(
                """
                INSERT INTO app (tenant, bundleIdentifier, version, title, size, sha256, createdAt)
                \(NumberedRows.numbers) SELECT CAST(\(tenant) AS TEXT), 'com.contoso.n' || CAST(i AS TEXT), '1',
                    'app ' || CAST(i AS TEXT), 1, 's', 1
                FROM number
                """)
            // Removed tenants.
            try connection.execute(
                """
                INSERT INTO tenant (id, organization, topic, domain, removed)
                \(NumberedRows.numbers) SELECT '50000000-0000-4000-8000-' || \(NumberedRows.digits), 'tenant', 't', NULL, 1
                FROM number
                """)
            guard isPostgreSQL else { return }
            // PostgreSQL does this by itself, some time later.
            for table in ["device", "profile", "app", "tenant"] as [SQL] { try connection.execute("ANALYZE \(table)") }
        }
    }

    @Test func `among 100000 devices, profiles and apps, a name is found without reading a whole table`() async throws {
        try await TestMDM.with { plain in
            try await fill(plain.management.database)
            let scans = FullScans()
            let fixture = try await plain.over(PlannedDatabase(plain.management.database, recordingIn: scans))
            scans.reset()
            for name in [
                "device%2070000", "tablet%2070001", "SERIAL-70000", "UDID-70000", "udid-70000",
                "10000000-0000-4000-8000-000000070000", "20000000-0000-4000-8000-000000070000",
            ] {
                #expect(try await fixture.raw(.get, "/devices/\(name)").status == .ok, "\(name)")
            }
            let answer = try await fixture.raw(.get, "/devices/spare")
            let reason = try JSONDecoder().decode(AdminFailure.self, from: Data(answer.body)).error
            #expect(reason.candidates?.count == 10 && reason.moreCandidates == 90)
            #expect(try await fixture.refusal(.get, "/devices/x") == "mdm.device.missing")
            for name in ["profile%2070000", "com.contoso.n70001"] {
                #expect(try await fixture.raw(.delete, "/profiles/\(name)").status == .noContent)
            }
            for name in ["app%2070000", "com.contoso.n70001"] {
                let path = "/devices/UDID-1/apps/\(name)"
                #expect(try await fixture.raw(.put, path, MDMAdmin.PushedApp()).status == .accepted)
            }
            for tenant in ["contoso.example", TestMDM.tenant] {
                let path = "/mdm/tenants/\(tenant)/devices/UDID-1"
                #expect(try await fixture.admin.send(.get, path).status == .ok)
            }
            #expect(scans.planned > 20)
            // PostgreSQL reads small tables as a whole.
            let small =
                fixture.management.database.isShared
                ? ["enrollment", "command", "audit", #""heldProfile""#, #""heldApp""#] : []
            #expect(scans.found.filter { step in !small.contains { step.contains("Seq Scan on \($0)") } } == [])
        }
    }
}
