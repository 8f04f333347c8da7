// SPDX-License-Identifier: Apache-2.0
import Foundation
import IdentityPlatform
import OAuth
import Storage
import StoragePostgreSQL
import StorageTestSupport
import TestSupport
import Testing

/// Returns a new, empty database on the PostgreSQL server of this test run, as one node sees it.
func postgreSQL() async throws -> PostgreSQLDatabase {
    let cluster = try await PostgreSQLCluster.shared()
    let name = UUID().uuidString.replacingOccurrences(of: "-", with: "").lowercased()
    return try await PostgreSQLDatabase(
        PostgreSQLConfiguration(
            server: .socket(folder: cluster.folder), database: PostgreSQLCluster.database,
            user: PostgreSQLCluster.superuser, schema: "nodes_" + name),
        migrations: IdentitySchema.migrations)
}

/// The databases that several nodes may share.
enum SharedBackend: CaseIterable {
    /// SQLite in memory, used as a shared database. Its writers take turns.
    case turns
    case postgreSQL

    /// Returns two nodes over one new database.
    func nodes(
        _ configure: (inout IdentityConfiguration) -> Void = { _ in }
    ) async throws -> (first: TestPlatform, second: TestPlatform) {
        let first: TestPlatform
        switch self {
        case .turns: first = try await TestPlatform(configure, over: { SharedDatabase($0) })
        case .postgreSQL:
            let database = try await IdentityPlatformTests.postgreSQL()
            first = try await TestPlatform(configure, over: { _ in database })
        }
        return (first, try await first.restarted())
    }
}

extension TestDevice {
    /// Returns the same device as a client of another node.
    func at(_ node: TestPlatform) throws -> TestDevice {
        var other = self
        other.fixture = node
        return other
    }
}

extension TestDeviceSession {
    /// Returns the same session as a client of another node.
    func at(_ node: TestPlatform) throws -> TestDeviceSession {
        TestDeviceSession(
            testDevice: try testDevice.at(node), reply: reply, key: key, counter: counter,
            brokerRefreshToken: brokerRefreshToken, token: token)
    }
}

extension Browser {
    /// Returns an independent browser with the same cookies, as a client of another node.
    func at(_ node: TestPlatform) -> Browser { Browser(node, cookies: cookies) }

    /// Types the code that another screen shows, and returns the next page.
    func type(userCode: String) async throws -> TestResponse {
        let page = try await get("/common/oauth2/deviceauth")
        return try await post(
            try #require(page.attribute("action", of: "<form")),
            ["csrf": try #require(page.hidden("csrf")), "user_code": userCode])
    }
}

/// Runs `body` for each number below `count`, all at once.
func simultaneously<Value: Sendable>(
    _ count: Int, _ body: @escaping @Sendable (Int) async throws -> Value
) async throws -> [Value] {
    try await withThrowingTaskGroup(of: Value.self) { group in
        for number in 0..<count { group.addTask { try await body(number) } }
        return try await group.reduce(into: []) { $0.append($1) }
    }
}
