// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import AdminServer
import Hummingbird
import StorageTestSupport
import TestSupport
import Testing

@testable import MDMServer

/// Device management serves the operations that are declared, and no others.
@Suite struct ServedManagementTests {
    @Test func `every declared operation is served, and no other route`() async throws {
        try await TestMDM.with(on: .sqlite) { fixture in
            let router = Router(context: AdminContext.self)
            router.add(middleware: FixedCaller(.localOperator(userID: nil)))
            fixture.management.addAdminRoutes(to: router)
            let served = router.routes.map { "\($0.method.rawValue) \($0.path.description)" }
            let declared = MDMAdmin.operations.map { "\($0.method.rawValue) \($0.path)" }
            #expect(Set(served) == Set(declared))
            #expect(served.count == declared.count)
        }
    }

    @Test func `every declared refusal and audit action exists`() throws {
        let file = Repository.root + "/Sources/MDMServer/Admin/AuditAction+Management.swift"
        let actions = try textOfFile(file)
        for operation in MDMAdmin.operations {
            for code in operation.errors {
                #expect(MDMAdminRefusal.Code(rawValue: code) != nil, "\(operation.id): \(code)")
            }
            for action in operation.auditActions {
                #expect(actions.contains("rawValue: \"\(action)\""), "\(operation.id): \(action)")
            }
        }
    }
}
