// SPDX-License-Identifier: Apache-2.0
import Foundation
import Storage
import StoragePostgreSQL
import Testing

@Suite struct EnvironmentTests {
    @Test func `environment variables of libpq are refused, because they could hold a password or an address`() async {
        await #expect(processExitsWith: .success) {
            for name in ["PGPASSWORD", "PGHOST", "PGOPTIONS", "PGSSLMODE", "PGSERVICE"] {
                _ = unsafe setenv(name, "canary", 1)
                let configuration = PostgreSQLConfiguration(
                    server: .socket(folder: "/nowhere"), database: "any", user: "any", schema: "any")
                let message = await refusal(.failed) {
                    _ = try await PostgreSQLDatabase(configuration, migrations: [])
                }
                #expect(message.contains(name) && !message.contains("canary"))
                _ = unsafe unsetenv(name)
            }
        }
    }
}
