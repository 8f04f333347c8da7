// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import Files
import Foundation
import HTTPTypes
import MDMProtocol
import MDMServer
import Storage
import StoragePostgreSQL
import StorageTestSupport
import Synchronization
import TestSupport
import Testing

/// Two nodes over one database. Where a test says so, the second node writes between the first node's decision and the
/// first node's transaction.
@Suite(.timeLimit(.minutes(5))) struct MDMNodesTests {
    private let tenant = TenantID(rawValue: TestMDM.tenant)

    /// Two nodes whose databases are connections to one PostgreSQL server.
    private func withServer(_ body: (TestMDM, TestMDM) async throws -> Void) async throws {
        try await TestMDM.with { fixture in
            let configuration = try await Self.emptySchema()
            let first = try await PostgreSQLDatabase(configuration, migrations: MDMSchema.migrations)
            let second = try await PostgreSQLDatabase(configuration, migrations: MDMSchema.migrations)
            try await body(try await fixture.over(first), try await fixture.over(second))
        }
    }

    private static func emptySchema() async throws -> PostgreSQLConfiguration {
        let name = UUID().uuidString.replacingOccurrences(of: "-", with: "").lowercased()
        return PostgreSQLConfiguration(
            server: .socket(folder: try await PostgreSQLCluster.shared().folder), database: PostgreSQLCluster.database,
            user: PostgreSQLCluster.superuser, schema: "test_" + name)
    }

    @Test func `nodes that start at once on a new database share one authority`() async throws {
        try await TestMDM.with { fixture in
            for _ in 0..<5 {
                let configuration = try await Self.emptySchema()
                _ = try await PostgreSQLDatabase(configuration, migrations: MDMSchema.migrations)
                let authorities = try await withThrowingTaskGroup { group in
                    for _ in 0..<4 {
                        group.addTask {
                            let database = try await PostgreSQLDatabase(configuration, migrations: MDMSchema.migrations)
                            return try await MDMService(
                                configuration: fixture.management.configuration, database: database,
                                sealer: TestMDM.sealer()
                            ).identityAuthority
                        }
                    }
                    return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
                }
                #expect(authorities.count == 1)
            }
        }
    }

    @Test func `commands that both nodes queue and deliver at once are neither lost nor doubled`() async throws {
        try await withServer { first, second in
            let device = try await HandDevice.settled(first, named: "tablet-1")
            let again = HandDevice(second, like: device)
            let before = try await first.commands("tablet-1").count
            try await withThrowingTaskGroup { group in
                for number in 0..<12 {
                    group.addTask {
                        let node = number.isMultiple(of: 2) ? first : second
                        let path = "/devices/tablet-1/profiles/org.baton.number\(number)"
                        return try await node.raw(.delete, path).status.code
                    }
                }
                for try await status in group { #expect(status == 202) }
            }
            var delivered: [String] = []
            while delivered.count < 20 {
                // The device sends each message to both nodes, because the first answer may have been lost.
                async let one = device.report(.idle)
                async let other = again.report(.idle)
                let requests = try await [one, other]
                #expect(requests[0]?.uuid == requests[1]?.uuid)
                guard let request = requests[0] else { break }
                delivered.append(request.uuid)
                async let next = device.report(.acknowledged, request.uuid)
                async let same = again.report(.acknowledged, request.uuid)
                let followers = try await [next, same]
                #expect(followers[0]?.uuid == followers[1]?.uuid && followers[0]?.uuid != request.uuid)
            }
            let commands = try await second.commands("tablet-1").dropLast(before)
            #expect(Set(delivered).count == 13)
            #expect(Set(commands.map(\.uuid)) == Set(delivered))
            #expect(commands.count { $0.requestType == "RemoveProfile" } == 12)
            // All changes together made the list of profiles due only once.
            #expect(commands.count { $0.requestType == "ProfileList" } == 1)
            #expect(commands.allSatisfy { $0.state == "acknowledged" })
        }
    }

    @Test func `of two nodes that a device with an old identity asks at once, one renews it`() async throws {
        try await withServer { first, second in
            let device = try await HandDevice.settled(first, named: "tablet-1")
            let again = HandDevice(second, like: device)
            first.now.advance(days: 300)
            async let one = device.report(.idle)
            async let other = again.report(.idle)
            _ = try await (one, other)
            let request = try await device.report(.idle)
            #expect(request?.command.requestType == "InstallProfile")
            #expect(try await again.report(.idle)?.uuid == request?.uuid)
            #expect(try await first.changes("tablet-1").count == 1)
        }
    }

    @Test func `an enrollment that ended meanwhile is not renewed`() async throws {
        let interlude = InterleavedDatabase.Interlude()
        try await TestMDM.with(wrapping: { InterleavedDatabase($0, interlude) }) { fixture in
            let device = try await HandDevice.settled(fixture, named: "tablet-1")
            let second = try await fixture.over(fixture.management.database)
            fixture.now.advance(days: 298)
            let profile = try await fixture.enrollmentProfile(named: "tablet-1", takesOver: device.udid)
            fixture.now.advance(days: 2)
            interlude.set {
                let next = try HandDevice(second, udid: device.udid, profile: profile)
                let statuses = [try await next.authenticate(), try await next.tokenUpdate()]
                #expect(statuses == [200, 200])
            }
            #expect(try await device.report(.idle) == nil)
            #expect(try await fixture.changes("tablet-1").isEmpty)
        }
    }

    @Test(arguments: ["/enrollments", "/profiles", "/apps"])
    func `nothing is added to a tenant that another node has removed meanwhile`(path: String) async throws {
        let interlude = InterleavedDatabase.Interlude()
        let tenant = try #require(tenant)
        try await TestMDM.with(wrapping: { InterleavedDatabase($0, interlude) }) { fixture in
            let second = try await fixture.over(fixture.management.database)
            let file = fixture.folder.path + "/upload"
            try Data(TestMDM.program("app")).write(to: URL(filePath: file))
            let bodies: [String: any Encodable] = [
                "/enrollments": MDMAdmin.NewEnrollment(name: "tablet", takesOver: nil),
                "/profiles": MDMAdmin.NewProfile.sharedDevice(urls: ["https://login.baton.test"]),
                "/apps": MDMAdmin.NewApp(path: file, bundleIdentifier: "org.baton.x", version: "1", title: "X"),
            ]
            interlude.set { try await second.management.removeTenant(tenant) }
            #expect(try await fixture.refusal(.post, path, bodies[path]) == "mdm.tenant.missing")
            let holdings = try await second.management.holdings(of: tenant)
            #expect(holdings.enrollmentProfiles == 0 && holdings.profiles == 0 && holdings.apps == 0)
            // A node with an outdated list of tenants does not register the removed tenant again.
            try await fixture.management.prepareTenant(tenant, organization: "Contoso", domain: "contoso.example")
            let known = try await second.management.tenants()
            #expect(known.isEmpty)
            let domain: String? = try await second.management.database.read {
                try $0.row("SELECT domain FROM tenant")?["domain"]
            }
            #expect(domain == nil)
        }
    }

    @Test func `announcements name a device by a reference without its own identifier`() async throws {
        try await TestMDM.with { fixture in
            let device = try await HandDevice.enrolled(fixture, named: "tablet-1")
            let heard = Mutex<[AnnouncementMessage]>([])
            fixture.management.database.observe { seen in heard.withLock { $0.append(seen.message) } }
            try await fixture.raw(.delete, "/devices/tablet-1/profiles/org.baton.other")
            try await fixture.raw(.delete, "/devices/tablet-1")
            // On PostgreSQL, the first message is a gap, because the node may have missed earlier announcements.
            let messages = heard.withLock { $0.filter { $0 != .gap } }
            #expect(messages.map(\.kind) == ["device-work", "enrollment-end", "device-work"])
            #expect(messages.allSatisfy { $0.isSendable && !$0.key.lowercased().contains(device.udid.lowercased()) })
            let reference = EnrolledDeviceID(
                tenant: try #require(tenant), udid: UDID(rawValue: device.udid)
            ).reference
            #expect(DeviceWork(messages[0])?.device == reference && DeviceWork(messages[2])?.device == reference)
            #expect(EnrollmentEnd(messages[1])?.device == reference)
            #expect(EnrollmentEnd(messages[0]) == nil && DeviceWork(messages[1]) == nil)
            for key in [
                "", "a", "/", "\(TestMDM.tenant)/",
                "\(TestMDM.tenant)/\(String(repeating: "g", count: 32))",
            ] {
                #expect(DeviceWork(AnnouncementMessage(kind: "device-work", key: key)) == nil)
            }
        }
    }
}
