// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import Foundation
import HTTPTypes
import MDMServer
import Storage
import StoragePostgreSQL
import TestSupport
import Testing

/// Several nodes over one PostgreSQL database.
@Suite struct NodeTests {
    /// Returns one node's access to a new database.
    private func database() async throws -> PostgreSQLDatabase {
        let cluster = try await PostgreSQLCluster.shared()
        let name = UUID().uuidString.replacingOccurrences(of: "-", with: "").lowercased()
        return try await PostgreSQLDatabase(
            PostgreSQLConfiguration(
                server: .socket(folder: cluster.folder), database: PostgreSQLCluster.database,
                user: PostgreSQLCluster.superuser, schema: "mdm_" + name),
            migrations: MDMSchema.migrations)
    }

    @Test func `nodes that start at once on a new database have one authority`() async throws {
        let database = try await database()
        try await TestMDM.with { fixture in
            let authorities = try await withThrowingTaskGroup(of: [UInt8].self) { group in
                for _ in 0..<6 {
                    group.addTask { try await fixture.over(database).management.identityAuthority }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(authorities.count == 1)
        }
    }

    @Test func `commands that nodes queue at once for one device are all kept, in one order`() async throws {
        let database = try await database()
        try await TestMDM.with(wrapping: { _ in database }) { first in
            let second = try await first.over(database)
            let device = try await HandDevice.enrolled(first, named: "tablet-1")
            let udid = device.udid
            let before = try await first.commands(udid).count
            try await withThrowingTaskGroup { group in
                for number in 0..<12 {
                    group.addTask {
                        let node = number % 2 == 0 ? first : second
                        let answer = try await node.raw(.post, "/devices/\(udid)/inventory")
                        #expect((200..<300).contains(answer.status.code), "\(answer.text)")
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await second.commands(udid).count == before + 24)
            let audit: [MDMAdmin.AuditEntry] = try await second.call(.get, "/audit?count=100")
            #expect(audit.count { $0.action == "mdm.command.queue" } == 24)
            #expect(audit.map(\.position) == Set(audit.map(\.position)).sorted())
        }
    }
}
