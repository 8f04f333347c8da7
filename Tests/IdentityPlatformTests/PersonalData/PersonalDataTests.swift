// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import Foundation
import HTTPTypes
import IdentityPlatform
import JSON
import OAuth
import Redaction
import Storage
import StorageTestSupport
import Synchronization
import TestSupport
import Testing

/// The export and the erasure of everything that the server stores about a person.
@Suite struct PersonalDataTests {
    /// What the server stores about Amara after a day of work.
    private struct Day {
        let fixture: TestPlatform
        let admin: AdminClient
        let session: TestDeviceSession
        let secrets: [String]

        init() async throws {
            fixture = try await TestPlatform().from("192.0.2.5")
            admin = AdminClient(fixture)
            let users = fixture.administration.users
            try await users.assign(.helpdeskAdministrator, to: fixture.amara)
            let group: IdentityAdmin.Group = try await admin.call(
                IdentityAdmin.addGroup,
                body: IdentityAdmin.NewGroup(displayName: "Ward 7", mailNickname: nil, description: nil)
            )
            let place = ["group": group.id, "user": "amara@contoso.test"]
            #expect(try await admin.send(IdentityAdmin.addGroupMember, place).status == .noContent)
            session = try await TestDevice.joined(fixture).session()
            let app = try await session.tokens(scopes: ["openid", "offline_access", "User.Read"])
            let own = try TestDevice(fixture, number: 1)
            let joined = try await own.join(try await fixture.registrationToken("amara@contoso.test"), isShared: false)
            #expect(joined.status == .ok)
            let browser = Browser(fixture)
            let tokens = try await fixture.signedIn(browser: browser)
            let stranger = Browser(fixture)
            _ = try await stranger.submit(
                try await stranger.get(AuthorizeQuery(fixture).path), username: "amara@contoso.test",
                password: "wrong password")
            _ = try await fixture.administration.breakGlass.grant(
                .globalAdministrator, to: fixture.amara, reason: "a test of the export",
                by: "uid=0")
            secrets = try [
                app.string(ReplyName.refreshToken), tokens.string(ReplyName.refreshToken),
                session.token.exposed, session.brokerRefreshToken, TestPlatform.password,
                try #require(browser.cookies["__Host-baton-session"]),
            ]
        }

        /// The text and byte values of every table.
        func cells() async throws -> [[UInt8]] {
            let tables = try await fixture.platform.database.tableNames()
            return try await fixture.platform.database.read { connection in
                try tables.flatMap { table in
                    try connection.rows(SQL(stringLiteral: "SELECT * FROM \"\(table)\"")).flatMap(\.cells)
                }
            }
        }

        func names(_ text: String) async throws -> Bool {
            let wanted = Array(text.lowercased().utf8)
            return try await cells().contains { cell in
                Array(String(decoding: cell, as: UTF8.self).lowercased().utf8).firstRange(of: wanted) != nil
            }
        }

        var identifying: [String] { [fixture.amara.id.rawValue, "amara", "okafor"] }
    }

    @Test func `an export has every kind of data about a person, and no secret`() async throws {
        let day = try await Day()
        let lines = try await day.admin.export(IdentityAdmin.exportUser, ["user": "amara@contoso.test"])
        let kinds = Set(lines.compactMap { $0["kind"]?.string })
        #expect(
            kinds.isSuperset(of: [
                "person", "role", "group", "device", "session", "browserSession", "authorizationCode", "refreshToken",
                "primaryRefreshToken", "failedSignIns", "breakGlassGrant", "auditEntry",
            ]), "\(kinds.sorted())")
        let person = try #require(lines.first { $0["kind"]?.string == "person" })
        #expect(person["userPrincipalName"]?.string == "amara@contoso.test" && person["jobTitle"]?.string == "Nurse")
        #expect(person["isEnabled"]?.bool == true && person["passwordHash"] == nil)
        let role = lines.first { $0["kind"]?.string == "role" }
        #expect(role?["displayName"]?.string == "Helpdesk Administrator")
        let text = lines.map { JSONWriter.text(.object($0)) }.joined(separator: "\n")
        for secret in day.secrets { #expect(!text.contains(secret)) }
        #expect(!text.contains("$scrypt") && !text.localizedCaseInsensitiveContains("hash"))
        // The export contains lines in which the person acts, lines in which they are the subject, and lines about
        // their sessions.
        let entries = lines.filter { $0["kind"]?.string == "auditEntry" }
        let actions = Set(entries.compactMap { $0["action"]?.string })
        #expect(
            actions.isSuperset(of: ["sign-in", "user.add", "role.assign", "session.bind", "user.export"]),
            "\(actions)")
        let id = day.fixture.bo.id.rawValue
        #expect(entries.allSatisfy { $0["actor"]?.string != id && $0["subject"]?.string != id })
    }

    @Test func `the export reads every table that names a person`() async throws {
        let fixture = try await TestPlatform(on: .sqlite)
        let tables = try await fixture.platform.database.read { connection in
            try connection.rows(
                """
                SELECT DISTINCT m.name AS name FROM sqlite_master m, pragma_table_info(m.name) c
                WHERE m.type = 'table' AND c.name IN ('person', 'registeredOwner', 'session', 'nameHash')
                ORDER BY m.name
                """
            ).map { try $0["name"] as String }
        }
        // `erasure` holds the id of an erased person for some minutes. The rest is in the export under these kinds.
        #expect(
            Set(tables) == [
                "authorizationCode", "breakGlass", "browserSession", "device", "deviceBrowser", "deviceCode",
                "deviceRegistrant", "erasure", "groupMember", "helloKey", "offlineLease", "primaryRefreshToken",
                "refreshToken", "roleMember", "session", "signInThrottle",
            ], "add the new table to PersonalData.statements, and to the erasure: \(tables)")
    }

    @Test func `after an erasure the database names the person nowhere`() async throws {
        let day = try await Day()
        let fixture = day.fixture
        for text in day.identifying { #expect(try await day.names(text), "\(text)") }
        let lines = try await day.admin.export(IdentityAdmin.exportUser, ["user": "amara@contoso.test"])
        let before = try await fixture.platform.database.read { connection in
            try AuditLog(connection).latest(1000, tenant: fixture.tenant.id).count
        }
        let concerns = Mutex<[DeviceStateChange]>([])
        fixture.platform.observeDevices { seen in concerns.withLock { $0 += [seen.change].compactMap(\.self) } }

        let holdings: IdentityAdmin.PersonalHoldings = try await day.admin.call(
            IdentityAdmin.getPersonalHoldings, ["user": "amara@contoso.test"])
        #expect(holdings.sessions > 1 && holdings.devices == 1)
        let erasure: IdentityAdmin.Erasure = try await day.admin.call(
            IdentityAdmin.eraseUser, ["user": "amara@contoso.test"])
        #expect(erasure.removed == holdings && erasure.auditEntries > 5)
        // The device is notified at once, and the session is over.
        let device = try day.session.testDevice.id
        #expect(concerns.withLock { $0.contains { $0.device.rawValue == device } })
        #expect(try await day.session.status() == .ended)
        // For a minute, only the record of the erasure itself still contains the id.
        let open = try await fixture.platform.database.read { try $0.rows("SELECT pseudonym FROM erasure").count }
        #expect(open == 1)
        fixture.clock.advance(by: .seconds(61))
        while try await Housekeeping(fixture.platform).sweep() > 0 {}
        for text in day.identifying { #expect(try await !day.names(text), "\(text)") }
        // The audit log has all of its lines, and still shows that they are about one person.
        let after = try await fixture.platform.database.read { connection in
            try AuditLog(connection).latest(1000, tenant: fixture.tenant.id)
        }
        #expect(after.count > before)
        let acts = lines.count { $0["actor"]?.string == fixture.amara.id.rawValue }
        let erased = after.filter { $0.actor == erasure.pseudonym }
        #expect(erased.count == acts)
        #expect(lines.contains { $0["clientAddress"] != nil } && erased.allSatisfy { $0.clientAddress == nil })
        #expect(after.last { $0.action == "user.erase" }?.subject == erasure.pseudonym)
        let again = try await day.admin.refusal(IdentityAdmin.eraseUser, ["user": "amara@contoso.test"])
        #expect(again == "identity.user.missing")
    }

    @Test func `an erasure that a node did not finish is finished by housekeeping`() async throws {
        let fixture = try await TestPlatform()
        _ = try await fixture.signedIn()
        let erasure = try await fixture.administration.users.erase(fixture.amara)
        // Restores the state after a crash before the first pass, and adds a line of a transaction that began before
        // the erasure.
        let time = fixture.clock.now
        func late() async throws {
            try await fixture.platform.database.write { connection in
                try AuditLog(connection).append(
                    AuditLine(
                        .signIn, tenant: fixture.tenant.id, actor: fixture.amara.id.rawValue, subject: nil, at: time))
            }
        }
        func isNamed() async throws -> Bool {
            try await fixture.platform.database.read { connection in
                try AuditLog(connection).latest(1000, tenant: fixture.tenant.id)
                    .contains { $0.names(fixture.amara.id.rawValue) }
            }
        }
        func open() async throws -> Int {
            try await fixture.platform.database.read { try $0.rows("SELECT pseudonym FROM erasure").count }
        }
        try await late()
        try await fixture.platform.database.write { try $0.execute("UPDATE erasure SET passed = 0") }
        let housekeeping = Housekeeping(fixture.platform)
        while try await housekeeping.sweep() > 0 {}
        #expect(try await !isNamed())
        #expect(try await open() == 1)
        try await late()
        fixture.clock.advance(by: .seconds(61))
        while try await housekeeping.sweep() > 0 {}
        #expect(try await !isNamed())
        #expect(try await open() == 0)
        #expect(erasure.pseudonym.hasPrefix("erased-"))
    }

    @Test func `the audit log is exported by period, in pages, and the export is recorded`() async throws {
        let fixture = try await TestPlatform()
        let admin = AdminClient(fixture)
        fixture.clock.advance(by: .seconds(3600))
        let from = fixture.clock.now
        let count = AuditLog.Pages.size + 2
        try await fixture.platform.database.write { connection in
            for number in 0..<count {
                try AuditLog(connection).append(
                    AuditLine(
                        .signIn, tenant: fixture.tenant.id, actor: "actor-\(number)", subject: nil, detail: "d",
                        at: from))
            }
        }
        fixture.clock.advance(by: .seconds(1))
        let to = fixture.clock.now
        try await fixture.administration.users.setEnabled(false, fixture.bo)
        let period = [("from", String(from.rawValue)), ("to", String(to.rawValue))]
        let lines = try await admin.export(IdentityAdmin.exportAuditEntries, query: period)
        #expect(lines.compactMap { $0["actor"]?.string } == (0..<count).map { "actor-\($0)" })
        #expect(lines.first?["detail"]?.string == "d")
        let all = try await admin.export(
            IdentityAdmin.exportAuditEntries, query: [("from", "0"), ("to", String(Int64.max))])
        #expect(all.contains { $0["action"]?.string == "user.add" && $0["time"]?.integer ?? 0 < Int(from.rawValue) })
        let record = try #require(all.last { $0["action"]?.string == "audit.export" })
        #expect(record["actor"]?.string == "operator")
        #expect(all.contains { $0["detail"]?.string == "\(from.rawValue) \(to.rawValue)" })
        for query in [[], [("from", "1")], [("from", "2"), ("to", "2")], [("from", "x"), ("to", "9")]] {
            #expect(try await admin.refusal(IdentityAdmin.exportAuditEntries, query: query) == "identity.malformed")
        }
    }
}
