// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import AdminServer
import Foundation
import HTTPTypes
import Hummingbird
import IdentityPlatform
import OAuth
import Receipts
import Storage
import TestSupport
import Testing

@Suite struct ReceiptSubjectTests {
    @Test func `the tenant can resolve a pseudonym, and each resolution is in the audit log`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        let session = try await testDevice.session()
        let pseudonym = try #require(session.reply.receiptSubject)
        let subject = try await fixture.resolve(pseudonym)
        #expect(subject.user == fixture.amara.id.rawValue)
        #expect(subject.userPrincipalName == "amara@contoso.test")
        #expect(subject.device == (try testDevice.id))
        #expect(subject.session == session.reply.sessionID)
        let last = try await fixture.platform.database.read {
            try AuditLog($0).latest(1, tenant: fixture.tenant.id).last
        }
        #expect(last?.action == "receipt.resolve")
        #expect(last?.subject == fixture.amara.id.rawValue)
    }

    @Test func `a subject does not identify a person, and each session has a different one`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        let first = try #require(try await testDevice.session(counter: 1).reply.receiptSubject)
        let second = try #require(try await testDevice.session(counter: 2).reply.receiptSubject)
        #expect(first != second)
        #expect(Pseudonym.isOne(first))
        let content = try Base64URL.decode(first.dropFirst(3))
        #expect(!content.contains(fixture.amara.id.bytes))
        #expect(try await fixture.resolve(first).user == (try await fixture.resolve(second).user))
    }

    @Test func `another tenant cannot resolve a pseudonym, and a changed pseudonym cannot be resolved`() async throws {
        let fixture = try await TestPlatform()
        let pseudonym = try #require(try await TestDevice.joined(fixture).session().reply.receiptSubject)
        let other = try await fixture.administration.tenants.add(displayName: "Fabrikam", domain: "fabrikam.test")
        #expect(try await fixture.answer(pseudonym, tenant: other.id.rawValue).status == .notFound)
        for index in [3, 20, 60, pseudonym.count - 2] {
            var changed = Array(pseudonym)
            changed[index] = changed[index] == "A" ? "B" : "A"
            #expect(try await fixture.answer(String(changed)).status == .notFound)
        }
        for text in ["p1.", "amara", "p2." + pseudonym.dropFirst(3)] {
            #expect(try await fixture.answer(text).status == .notFound)
        }
    }

    @Test func `a pseudonym can be resolved after the person was removed and the server restarted`() async throws {
        let fixture = try await TestPlatform()
        let pseudonym = try #require(try await TestDevice.joined(fixture).session().reply.receiptSubject)
        try await fixture.administration.users.remove(fixture.amara)
        let subject = try await fixture.restarted().resolve(pseudonym)
        #expect(subject.user == fixture.amara.id.rawValue)
        #expect(subject.userPrincipalName == nil)
    }
}

extension TestPlatform {
    fileprivate func answer(_ pseudonym: String, tenant: String = "-") async throws -> TestResponse {
        let router = Router(context: AdminContext.self)
        router.add(middleware: FixedCaller(.localOperator(userID: nil)))
        AdminRoutes(platform).addRoutes(to: router)
        let path = IdentityAdmin.resolveReceiptSubject.operation.path([
            "tenant": tenant == "-" ? self.tenant.id.rawValue : tenant, "subject": pseudonym,
        ])
        return try await TestClient(router.buildResponder(), host: "localhost").send(.get, path)
    }

    func resolve(_ pseudonym: String) async throws -> IdentityAdmin.ReceiptSubject {
        let answer = try await answer(pseudonym)
        #expect(answer.status == .ok, "\(answer.text)")
        return try JSONDecoder().decode(IdentityAdmin.ReceiptSubject.self, from: Data(answer.body))
    }
}
