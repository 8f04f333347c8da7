// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import Testing

/// What holds of every declared operation.
@Suite struct OperationTests {
    private static let operations = AdminOperation.all

    @Test func `ids, and methods with paths, are unique`() {
        #expect(Set(Self.operations.map(\.id)).count == Self.operations.count)
        // Two templates that differ only in the names of placeholders match the same paths.
        let routes = Self.operations.map { operation in
            "\(operation.method.rawValue) \(operation.path.replacing(/\{\w+\}/, with: "{}"))"
        }
        #expect(Set(routes).count == routes.count)
    }

    @Test func `every change is audited, and of the readings only those that say so`() {
        for operation in Self.operations {
            #expect(!operation.isChange || !operation.auditActions.isEmpty, "\(operation.id)")
            #expect(operation.isChange == (operation.method != .get), "\(operation.id)")
            #expect(operation.isChange || !operation.isDangerous, "\(operation.id)")
        }
        let recorded = Self.operations.filter { !$0.isChange && !$0.auditActions.isEmpty }.map(\.id)
        #expect(
            Set(recorded) == [
                "exportAuditEntries", "exportManagementAuditEntries", "exportUser", "resolveReceiptSubject",
            ])
    }

    @Test func `every export is audited`() {
        for operation in Self.operations {
            if case .export = operation.reply() { #expect(!operation.auditActions.isEmpty, "\(operation.id)") }
        }
    }

    @Test func `an operation on the whole server needs the server's socket`() {
        for operation in Self.operations where !operation.path.contains("{tenant}") {
            let isDescription = operation.id == IdentityAdmin.getOpenAPI.operation.id
            #expect(operation.access == (isDescription ? .anyone : .serverOnly), "\(operation.id)")
        }
        #expect(IdentityAdmin.removeTenant.operation.access == .serverOnly)
    }

    @Test func `Global Administrator may call what any role may call, and readers change nothing`() {
        for operation in Self.operations {
            guard case .directory(let roles, let permission) = operation.access else { continue }
            #expect(roles.contains(.globalAdministrator), "\(operation.id)")
            #expect(Set(roles).count == roles.count, "\(operation.id)")
            #expect(permission.contains(/^[A-Za-z]+\.[A-Za-z]+\.(All|Directory)$/), "\(operation.id)")
            let readers: Set<AdminRole> = [.globalReader, .reportsReader]
            #expect(!operation.isChange || readers.isDisjoint(with: roles), "\(operation.id)")
        }
    }

    @Test func `every placeholder has a meaning, and every operation a summary of one sentence`() {
        for operation in Self.operations {
            #expect(operation.places.allSatisfy { $0.meaning != "The id." }, "\(operation.id)")
            #expect(operation.summary.contains(/^[A-Z][^|]*[a-z0-9)]\.$/), "\(operation.id)")
            #expect(operation.details?.contains(/\||  |\n/) != true, "\(operation.id)")
        }
    }

    @Test func `the id is the name of the declaration`() throws {
        let sources = try CodableSources.files(in: "Sources/AdminAPI").map(\.text).joined()
        let declarations = sources.matches(of: /static let (\w+) = Endpoint<[^>]+>\(\s*"(\w+)"/)
        #expect(declarations.allSatisfy { $0.output.1 == $0.output.2 })
        #expect(Set(declarations.map { String($0.output.1) }) == Set(Self.operations.map(\.id)))
    }

    @Test func `a path is filled in and its values are percent-encoded`() {
        let request = IdentityAdmin.listSessions(["tenant": "-"], query: [("user", "zoë+1@a.test")])
        #expect(request.path == "/identity/tenants/-/sessions?user=zo%C3%AB%2B1%40a.test")
    }
}
