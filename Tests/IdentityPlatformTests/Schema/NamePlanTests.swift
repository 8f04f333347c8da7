// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import HTTPTypes
import IdentityPlatform
import Storage
import StorageTestSupport
import TestSupport
import Testing

/// The plans of the statements that find named objects, in a large directory. No plan may read a whole table.
@Suite struct NamePlanTests {
    private func fill(_ fixture: TestPlatform) async throws {
        let (tenant, isPostgreSQL) = (fixture.tenant.id, fixture.platform.database.isShared)
        try await fixture.platform.database.write { connection in
            try connection.execute(
                """
                INSERT INTO device (tenant, id, objectID, displayName, operatingSystem, operatingSystemVersion,
                    trustType, profileType, accountEnabled, isManaged, certificateHash, certificateExpires, deviceKey,
                    transportKey, registered, managedAs, managedName, serialNumber)
                \(NumberedRows.numbers)
                SELECT CAST(\(tenant) AS TEXT), '10000000-0000-4000-8000-' || \(NumberedRows.digits),
                    '20000000-0000-4000-8000-' || \(NumberedRows.digits), 'device ' || CAST(i AS TEXT), 'Linux', '12', 'AzureAd',
                    'Shared', 1, 1, CAST(CAST(i AS TEXT) AS BLOB), 1, CAST('k' AS BLOB), CAST('k' AS BLOB), i,
                    'UDID-' || CAST(i AS TEXT), CASE WHEN i % 1000 = 0 THEN 'spare' ELSE 'tablet ' || CAST(i AS TEXT) END,
                    'SERIAL-' || CAST(i AS TEXT)
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
            // Removed tenants.
            try connection.execute(
                """
                INSERT INTO tenant (id, displayName, domain, pairwiseSalt, created, removed)
                \(NumberedRows.numbers) SELECT '50000000-0000-4000-8000-' || \(NumberedRows.digits), 'tenant',
                    '50000000-0000-4000-8000-' || \(NumberedRows.digits), CAST('s' AS BLOB), 1, 1
                FROM number
                """)
            guard isPostgreSQL else { return }
            // PostgreSQL does this by itself, some time later.
            for table in ["device", "directoryGroup", "client", "person", "tenant"] as [SQL] {
                try connection.execute("ANALYZE \(table)")
            }
        }
    }

    @Test func `among 100000 devices, groups and applications, a name is found without reading a whole table`()
        async throws
    {
        let scans = FullScans()
        let fixture = try await TestPlatform()
        try await fill(fixture)
        let admin = AdminClient(try await fixture.restarted(over: { PlannedDatabase($0, recordingIn: scans) }))
        scans.reset()
        for name in [
            "device 70000", "tablet 70001", "SERIAL-70000", "UDID-70000", "udid-70000",
            "10000000-0000-4000-8000-000000070000", "20000000-0000-4000-8000-000000070000",
        ] {
            #expect(try await admin.send(IdentityAdmin.getDevice, ["device": name]).status == .ok, "\(name)")
        }
        let spare = try await admin.reason(IdentityAdmin.getDevice, ["device": "spare"])
        #expect(spare.candidates?.count == 10 && spare.moreCandidates == 90)
        #expect(try await admin.refusal(IdentityAdmin.getDevice, ["device": "x"]) == "identity.device.missing")
        for name in ["group 70000", "30000000-0000-4000-8000-000000070001"] {
            #expect(try await admin.send(IdentityAdmin.removeGroup, ["group": name]).status == .noContent)
        }
        for name in ["client 70000", "40000000-0000-4000-8000-000000070001"] {
            #expect(try await admin.send(IdentityAdmin.listClientSecrets, ["client": name]).status == .ok)
        }
        for name in ["amara@contoso.test", fixture.amara.id.rawValue] {
            #expect(try await admin.send(IdentityAdmin.getUser, ["user": name]).status == .ok)
        }
        for name in ["contoso.test", fixture.tenant.id.rawValue] {
            #expect(try await admin.send(IdentityAdmin.getBranding, ["tenant": name]).status == .ok)
        }
        #expect(scans.planned > 20)
        // PostgreSQL reads small tables as a whole.
        let small = fixture.platform.database.isShared ? ["person", #""roleMember""#, #""tenantBranding""#] : []
        #expect(scans.found.filter { step in !small.contains { step.contains("Seq Scan on \($0)") } } == [])
    }

    /// One statement finds a device, whatever kind of name is given.
    @Test func `a device is found by one statement`() async throws {
        let scans = FullScans()
        let fixture = try await TestPlatform(on: .sqlite, over: { PlannedDatabase($0, recordingIn: scans) })
        let device = try await TestDevice.joined(fixture)
        for text in ["TestDevice 1", try device.id] {
            let name = try #require(ObjectName(text))
            scans.reset()
            let found = try await fixture.platform.devices(named: name, tenant: fixture.tenant.id.rawValue)
            #expect(found.count == 1 && scans.planned == 1)
        }
    }
}
