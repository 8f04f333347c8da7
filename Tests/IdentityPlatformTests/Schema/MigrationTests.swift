// SPDX-License-Identifier: Apache-2.0
import Foundation
import OAuth
import Storage
import TestSupport
import Testing

@testable import IdentityPlatform

/// Tests the migration of databases that earlier builds created.
@Suite struct MigrationTests {
    @Test func `a database with the retired names is migrated, and keeps its rows`() async throws {
        try await Scratch.with { scratch in
            let path = scratch.path("identity.sqlite")
            let earlier = try await SQLiteDatabase(path: path, migrations: [])
            let dump = try textOfFile(Repository.root + "/Tests/Databases/identity.sql")
            try await earlier.write { connection in
                for statement in dump.split(separator: ";\n") {
                    try connection.execute(SQL(stringLiteral: String(statement)))
                }
            }
            let database = try await SQLiteDatabase(path: path, migrations: IdentitySchema.migrations)
            let methods = try await database.read { try $0.rows("SELECT method FROM audit WHERE action = 'sign-in'") }
            #expect(try methods.map { try $0["method"] } == ["page", "page", "page", "page"])
            #expect(try await database.read { try $0.count(of: AuditEntry.self, "") } == 22)
            let tenant = try #require(try await database.read { try Tenants($0).only() })
            let lines = try await database.read { try AuditLog($0).latest(100, tenant: tenant.id) }
            #expect(lines.map(\.position) == Array(1...22) && lines.allSatisfy { $0.detail == nil })
            let home = try #require(ClientID(rawValue: HomeScreenApp.clientID))
            let registered = try await database.read { try Clients($0).find(home, tenant: tenant.id) }
            #expect(registered?.redirectURIs == [HomeScreenApp.redirectURI])
            #expect(registered?.resources == [ResourceCatalogue.graphApplication])
            let administration = try #require(ClientID(rawValue: AdministrationApp.clientID))
            let tools = try await database.read { try Clients($0).find(administration, tenant: tenant.id) }
            #expect(tools?.redirectURIs == [AdministrationApp.redirectURI])
            #expect(tools?.logoutURIs == [AdministrationApp.redirectURI])
            #expect(tools?.resources == [ResourceCatalogue.administrationApplication])
            #expect(tools?.permissions == [] && tools?.isPublic == true && tools?.isEnabled == true)
            #expect(lines.filter { $0.action == AuditAction.signIn.rawValue }.allSatisfy { $0.method == .page })
        }
    }
}
