// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import AdminServer
import Foundation
import HTTPTypes
import Hummingbird
import IdentityPlatform
import JSON
import TestSupport
import Testing

/// The identity platform serves the operations that are declared, and no others.
@Suite struct ServedOperationTests {
    @Test func `every declared operation is served, and no other route`() async throws {
        let router = Router(context: AdminContext.self)
        router.add(middleware: FixedCaller(.localOperator(userID: nil)))
        AdminRoutes(try await TestPlatform().platform).addRoutes(to: router)
        let served = router.routes.map { "\($0.method.rawValue) \($0.path.description)" }
        let declared = IdentityAdmin.operations.map { "\($0.method.rawValue) \($0.path)" }
        #expect(Set(served) == Set(declared))
        #expect(served.count == declared.count)
    }

    @Test func `every declared refusal, role and audit action exists`() throws {
        let file = Repository.root + "/Sources/IdentityPlatform/Admin/AuditAction+Identity.swift"
        let actions = try textOfFile(file)
        for operation in IdentityAdmin.operations {
            for code in operation.errors { #expect(AdminRefusal(rawValue: code) != nil, "\(operation.id): \(code)") }
            for action in operation.auditActions where !action.hasPrefix("mdm.") {
                #expect(actions.contains("rawValue: \"\(action)\""), "\(operation.id): \(action)")
            }
        }
        let unknown = AdminRole.allCases.filter { DirectoryRole.named($0.rawValue) == nil }
        #expect(unknown == [])
    }

    @Test func `the OpenAPI document is served`() async throws {
        let admin = AdminClient(try await TestPlatform())
        let response = try await admin.send(IdentityAdmin.getOpenAPI)
        #expect(response.status == .ok)
        let document = try JSONReader.read(Array(response.body), limits: JSONLimits(bytes: 1 << 20, values: 100_000))
        #expect(document.object?["openapi"] == .string("3.1.0"))
        #expect(document == OpenAPIDocument.of(AdminOperation.all, at: .socket))
    }
}
