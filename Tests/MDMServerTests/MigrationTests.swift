// SPDX-License-Identifier: Apache-2.0
import Foundation
import Storage
import TestSupport
import Testing

@testable import MDMServer

/// Migration of databases that earlier builds made.
@Suite struct MigrationTests {
    @Test func `a database with the retired names is migrated, and keeps its rows`() async throws {
        try await Scratch.with { scratch in
            let path = scratch.path("mdm.sqlite")
            let earlier = try await SQLiteDatabase(path: path, migrations: [])
            let dump = try textOfFile(Repository.root + "/Tests/Databases/mdm.sql")
            try await earlier.write { connection in
                for statement in dump.split(separator: ";\n") {
                    try connection.execute(SQL(stringLiteral: String(statement)))
                }
            }
            let database = try await SQLiteDatabase(path: path, migrations: MDMSchema.migrations)
            let enrollment = try await database.read { try $0.row("SELECT id, state FROM enrollment") }
            let device = try await database.read { try $0.row("SELECT enrollment, state FROM device") }
            let (id, state): (String?, String?) = (try enrollment?["id"], try enrollment?["state"])
            #expect(try id == device?["enrollment"] && state == "bound")
            #expect(try device?["state"] == "enrolled")
            let actions = try await database.read { try $0.rows("SELECT action FROM audit ORDER BY position") }
            #expect(try actions.count == 12 && actions[0]["action"] == "mdm.enrollment.make")
            let tenants: [TenantID] = try await database.read { try $0.values(.id, of: Organization.self, "") }
            let tenant = try #require(tenants.first)
            let lines = try await database.read { try AuditLog($0).latest(100, tenant: tenant) }
            #expect(lines.map(\.position) == Array(1...12))
            #expect(lines.allSatisfy { $0.actor == AuditLog.localOperator && $0.subject?.isEmpty == false })
            #expect(lines.allSatisfy { $0.outcome == "done" && $0.repetitions == 1 && $0.method == nil })
            #expect(lines.contains { $0.action == AuditAction.commandQueued.rawValue && $0.detail != nil })
        }
    }
}
