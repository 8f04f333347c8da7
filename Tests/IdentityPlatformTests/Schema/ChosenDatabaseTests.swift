// SPDX-License-Identifier: Apache-2.0
import IdentityPlatform
import Storage
import StorageTestSupport
import Testing

@Suite struct ChosenDatabaseTests {
    /// `scripts/tests` requires this test to have passed on each database.
    @Test func `the tests of the identity platform use the chosen database`() async throws {
        let fixture = try await TestPlatform()
        let isShared = fixture.platform.database.isShared
        #expect(isShared == (EngineDatabase.chosen == .postgresql))
        let version: SQL = isShared ? "SELECT version() AS version" : "SELECT 'SQLite ' || sqlite_version() AS version"
        let text: String? = try await fixture.platform.database.read { try $0.row(version)?["version"] }
        #expect(text?.hasPrefix(isShared ? "PostgreSQL " : "SQLite ") == true)
    }

    @Test func `each test has a database of its own`() async throws {
        let (first, second) = (try await TestPlatform(), try await TestPlatform())
        #expect(first.tenant.id != second.tenant.id)
        let tenants = try await first.platform.database.read { try Tenants($0).all() }
        #expect(tenants.map(\.id) == [first.tenant.id])
    }
}
