// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import JSON
import OAuth
import Storage
import TestSupport
import Testing

@testable import IdentityPlatform

/// The addresses of clients in the audit log.
@Suite struct ClientAddressTests {
    @Test(arguments: [
        ("192.0.2.7", "192.0.2.7"), ("::ffff:192.0.2.7", "192.0.2.7"), ("2001:DB8:0::7", "2001:db8::7"),
    ])
    func `an entry has the whole address of the client that caused it`(address: String, shown: String) async throws {
        let home = try await TestPlatform { $0.compatibility.passwordGrant = true }
        let platform = home.from(address)
        for password in ["wrong", TestPlatform.password] {
            _ = try await platform.token([
                "grant_type": "password", "client_id": platform.app.id.rawValue, "username": "amara@contoso.test",
                "password": password, "scope": "openid",
            ])
        }
        let browser = Browser(platform)
        let page = try await browser.get(AuthorizeQuery(platform).path)
        _ = try await browser.submit(page, username: "amara@contoso.test", password: "wrong")
        _ = try await browser.signIn(AuthorizeQuery(platform), username: "bo@contoso.test")
        let lines = try await platform.platform.database.read {
            try AuditLog($0).latest(100, tenant: platform.tenant.id)
        }
        let signIns = lines.filter { $0.action == AuditAction.signIn.rawValue }
        #expect(signIns.map(\.outcome).sorted() == ["done", "done", "refused", "refused"])
        #expect(signIns.allSatisfy { $0.clientAddress == shown }, "\(signIns)")
        // Lines about the operator's acts have no address.
        #expect(lines.filter { $0.actor == AuditLog.localOperator }.allSatisfy { $0.clientAddress == nil })
    }

    @Test func `Graph shows the address of a sign-in and of an administrator`() async throws {
        let fixture = try await TestPlatform().from("192.0.2.9")
        let caller = try await GraphCaller(fixture, .globalAdministrator)
        let answer = try await caller.send(.patch, "/users/amara@contoso.test", body: #"{"jobTitle":"Doctor"}"#)
        #expect(answer.status == .noContent)
        let line = try #require(try await caller.get("/auditLogs/directoryAudits?$top=1").list.first)
        #expect(line["initiatedBy"]?.object?["user"]?.object?["ipAddress"] == .string("192.0.2.9"))
        let filter = "$filter=ipAddress%20eq%20'192.0.2.9'"
        #expect(try await !caller.get("/auditLogs/signIns?\(filter)").list.isEmpty)
    }
}
