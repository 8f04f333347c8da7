// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import AdminServer
import Foundation
import HTTPTypes
import IdentityPlatform
import Redaction
import TestSupport
import Testing

/// Bodies and queries that have the right form but no possible value.
@Suite struct AdminInputTests {
    @Test(arguments: ["a\u{0}b", "a\nb", "a\u{7f}", "\u{85}", "a\u{2028}b", ""])
    func `a display name with a control character is refused, whatever it names`(name: String) async throws {
        let admin = AdminClient(try await TestPlatform())
        let user = IdentityAdmin.NewUser(
            userPrincipalName: "zoe@contoso.test", displayName: name, password: Sensitive("long enough"))
        // The router refuses U+0000 before it reads any member.
        let code = name.contains("\u{0}") ? "identity.malformed" : "identity.display.name"
        #expect(try await admin.refusal(IdentityAdmin.addUser, body: user) == code)
        let group = IdentityAdmin.NewGroup(displayName: name, mailNickname: "group", description: nil)
        #expect(try await admin.refusal(IdentityAdmin.addGroup, body: group) == code)
        let client = IdentityAdmin.NewClient(displayName: name, redirectURIs: [])
        #expect(try await admin.refusal(IdentityAdmin.addClient, body: client) == code)
        let tenant = IdentityAdmin.NewTenant(displayName: name, domain: "fabrikam.test")
        #expect(try await admin.refusal(IdentityAdmin.addTenant, body: tenant) == code)
    }

    @Test func `U+0000 is refused in every text and every name of a member`() async throws {
        let admin = AdminClient(try await TestPlatform())
        let described = IdentityAdmin.NewGroup(displayName: "Ward", mailNickname: nil, description: "a\u{0}")
        #expect(try await admin.refusal(IdentityAdmin.addGroup, body: described) == "identity.malformed")
        let elements = IdentityAdmin.NewClient(displayName: "App", redirectURIs: ["https://app.test/\u{0}"])
        #expect(try await admin.refusal(IdentityAdmin.addClient, body: elements) == "identity.malformed")
        let fine = IdentityAdmin.NewGroup(displayName: "Ward", mailNickname: nil, description: "a\nb")
        #expect(try await admin.send(IdentityAdmin.addGroup, body: fine).status == .created)
    }

    @Test(arguments: ["0", "-1", "10001", "99999999999999999999", "1.5", ""])
    func `a number of lines that is not possible is refused`(count: String) async throws {
        let admin = AdminClient(try await TestPlatform())
        let code = try await admin.refusal(IdentityAdmin.listAuditEntries, query: [("count", count)])
        #expect(code == "identity.malformed")
    }

    @Test(arguments: ["1", "10000"])
    func `the least and the greatest number of lines are possible`(count: String) async throws {
        let admin = AdminClient(try await TestPlatform())
        let answer = try await admin.send(IdentityAdmin.listAuditEntries, query: [("count", count)])
        #expect(answer.status == .ok)
    }

    @Test(arguments: ["AA==", "YQA=", "bGlzdFVzZXJzIGEA", "!", "YQ"])
    func `a page whose key has U+0000, or that is no key, is refused`(after: String) async throws {
        let admin = AdminClient(try await TestPlatform())
        let code = try await admin.refusal(IdentityAdmin.listUsers, query: [("after", after)])
        #expect(code == "admin.page")
    }

    @Test func `a server that is busy says when to try again`() {
        #expect(AdminRefusal.busy.headers[.retryAfter] == "5")
        #expect(AdminRefusal.allCases.filter { $0.status == .serviceUnavailable } == [.busy])
    }
}
