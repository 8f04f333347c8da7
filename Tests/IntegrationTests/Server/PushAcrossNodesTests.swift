// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import AdminServer
import Foundation
import Hummingbird
import Logging
import OAuth
import PushProtocol
import Redaction
import Storage
import StoragePostgreSQL
import StorageTestSupport
import Synchronization
import TestSupport
import Testing

@testable import IdentityPlatform
@testable import MDMServer
@testable import baton_server

/// Two nodes of the server over one PostgreSQL database: a change at one node reaches the push channels of the other.
@Suite(.timeLimit(.minutes(5))) struct PushAcrossNodesTests {
    /// One node: the parts of the server that push channels need, with database objects of their own.
    private struct Node {
        let identity: Platform
        let management: MDMService
        let channels: PushChannels
        let link: MDMLink
        let log: LogStream

        init(_ schema: String, packages: String) async throws {
            func configuration(_ engine: String) async throws -> PostgreSQLConfiguration {
                PostgreSQLConfiguration(
                    server: .socket(folder: try await PostgreSQLCluster.shared().folder),
                    database: PostgreSQLCluster.database, user: PostgreSQLCluster.superuser,
                    schema: "\(schema)_\(engine)")
            }
            identity = try await Platform(
                configuration: IdentityConfiguration(
                    names: .init(login: "login.test", deviceRegistration: "drs.test", graph: "graph.test")),
                database: try await PostgreSQLDatabase(
                    try await configuration("identity"), migrations: IdentitySchema.migrations),
                storageKey: try StorageKey(SecretBytes(copying: [UInt8](repeating: 7, count: StorageKey.length))))
            management = try await MDMService(
                configuration: MDMConfiguration(
                    baseURL: "https://mdm.test", trustRoot: [0x30, 0], packageDirectory: packages,
                    arePackagesInDatabase: true),
                database: try await PostgreSQLDatabase(
                    try await configuration("mdm"), migrations: MDMSchema.migrations),
                sealer: SecretSealer(seal: { bytes, _ in bytes }, open: { bytes, _ in bytes }))
            channels = PushChannels(capacity: 10, keepAlive: .seconds(30))
            log = LogStream()
            channels.observe(identity, management, logger: log.logger)
            link = MDMLink(identity: identity, management: management, logger: log.logger)
            // From now on, announcements of other nodes arrive.
            await Gaps(identity.database).first()
            await Gaps(management.database).first()
        }

        /// Opens a push channel of a device.
        func open(_ device: EnrolledDeviceID, _ asker: DeviceAsker?) throws -> PushConnection {
            let connection = PushConnection(device, asker: asker)
            #expect(channels.take(connection))
            return connection
        }
    }

    /// Waits until a database object receives announcements, that is, until its observers get the first gap.
    private struct Gaps {
        private let seen: AsyncStream<Void>
        private let database: any Database

        init(_ database: any Database) {
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
            (seen, self.database) = (stream, database)
            database.observe { if $0.message == .gap { continuation.yield() } }
        }

        /// Sends a text that cannot be decoded. This also counts as a gap, so the observers get a gap even if listening
        /// has already begun.
        func first() async {
            do {
                try await database.write { connection in
                    let schema: String = try connection.row("SELECT current_schema() AS name")?["name"] ?? ""
                    _ = try connection.rows("SELECT pg_notify(\("baton_" + schema), '') AS done")
                }
            } catch { Issue.record(error) }
            for await _ in seen { return }
        }
    }

    /// Two nodes, and a device that is in the directory and enrolled.
    private func withNodes(
        _ body: (Node, Node, Tenant, EnrolledDeviceID, DeviceID) async throws -> Void
    ) async throws {
        try await Scratch.with { scratch in
            let schema = "push_" + UUID().uuidString.replacing("-", with: "").lowercased().prefix(16)
            let first = try await Node(schema, packages: scratch.path("packages"))
            let second = try await Node(schema, packages: scratch.path("packages"))
            let tenant = try await Administration(first.identity).tenants.add(
                displayName: "Contoso", domain: "contoso.test")
            try await first.management.prepareTenant(tenant.id, organization: "Contoso", domain: "contoso.test")
            let enrolled = EnrolledDeviceID(tenant: tenant.id, udid: UDID(rawValue: "UDID-1"))
            let device = try #require(DeviceID(rawValue: UUID().uuidString))
            try await first.identity.database.write { connection in
                try connection.execute(
                    """
                    INSERT INTO device (tenant, id, objectID, displayName, operatingSystem, operatingSystemVersion,
                        trustType, profileType, accountEnabled, isManaged, certificateHash, certificateExpires,
                        deviceKey, transportKey, registered, managedAs)
                    VALUES (\(tenant.id), \(device), \(device), 'tablet-1', 'Linux', '12', 'AzureAd', 'Shared', 1, 1,
                        \([UInt8(1)]), 1, \([UInt8(1)]), \([UInt8(1)]), 1, \(enrolled.udid))
                    """)
            }
            try await first.management.database.write { connection in
                try connection.execute(
                    """
                    INSERT INTO enrollment (tenant, id, name, fingerprint, state, udid, createdAt, expiresAt)
                    VALUES (\(tenant.id), 'e', 'tablet-1', 'f', 'bound', \(enrolled.udid), 0, \(Int64.max))
                    """)
                try connection.execute(
                    """
                    INSERT INTO device (tenant, udid, enrollment, name, state, changedAt)
                    VALUES (\(tenant.id), \(enrolled.udid), 'e', 'tablet-1', 'enrolled', 0)
                    """)
            }
            try await body(first, second, tenant, enrolled, device)
        }
    }

    /// Waits until a push channel has a nudge to write.
    private func nudge(_ connection: PushConnection) async {
        for await _ in connection.wakes where connection.takeMessage() == .nudge { return }
    }

    /// The budget for the whole path to the device is a second (docs/performance.md).
    @Test func `a revocation at one node is told to a device at another node within a second`() async throws {
        try await withNodes { first, second, tenant, enrolled, device in
            let epoch = try #require(DeviceEpoch(id: String(repeating: "a", count: 32), counter: 1))
            let asker = DeviceAsker(tenant: tenant.id, device: device, epoch: epoch, session: nil)
            let connection = try second.open(enrolled, asker)
            let administration = Administration(first.identity)
            var durations: [Duration] = []
            for round in 0..<20 {
                let begin = ContinuousClock.now
                try await administration.devices.setEnabled(!round.isMultiple(of: 2), device, tenant: tenant)
                await nudge(connection)
                durations.append(ContinuousClock.now - begin)
            }
            durations.sort()
            let (median, slowest) = (durations[10], durations[19])
            print("20 revocations across nodes, from the request to the nudge: median \(median), slowest \(slowest)")
            // In continuous integration, other tests share the processors.
            #expect((Soak.isRunning ? slowest : median) < .seconds(1))
        }
    }

    @Test func `a command that one node queues wakes a device whose push channel another node holds`() async throws {
        try await withNodes { first, second, tenant, enrolled, _ in
            let connection = try second.open(enrolled, nil)
            let router = Router(context: AdminContext.self)
            router.add(middleware: FixedCaller(.localOperator(userID: nil)))
            first.management.addAdminRoutes(to: router)
            let admin = TestClient(router.buildResponder())
            let answer = try await admin.send(.post, "/mdm/tenants/-/devices/tablet-1/inventory")
            #expect(answer.status == .accepted)
            await nudge(connection)
            let hasCommands = try await second.management.hasCommands(enrolled)
            #expect(hasCommands)
        }
    }

    @Test func `after a gap every push channel of the node is nudged`() async throws {
        try await withNodes { first, second, tenant, enrolled, _ in
            let others = (0..<5).map { EnrolledDeviceID(tenant: tenant.id, udid: UDID(rawValue: "UDID-other-\($0)")) }
            let connections = try ([enrolled] + others).map { try second.open($0, nil) }
            try await withThrowingTaskGroup { group in
                group.addTask { try await second.channels.run() }
                try await first.identity.database.write { try $0.announce(AnnouncementMessage.gap) }
                for connection in connections { await nudge(connection) }
                group.cancelAll()
            }
        }
    }

    @Test func `an enrollment that ends at one node ends the device's management at every node`() async throws {
        try await withNodes { first, second, tenant, enrolled, device in
            try await withThrowingTaskGroup { group in
                group.addTask { try await second.link.run() }
                let router = Router(context: AdminContext.self)
                router.add(middleware: FixedCaller(.localOperator(userID: nil)))
                first.management.addAdminRoutes(to: router)
                let admin = TestClient(router.buildResponder())
                #expect(try await admin.send(.delete, "/mdm/tenants/-/devices/tablet-1").status == .noContent)
                await second.log.first { $0 == "a device is no longer managed" }
                let entries = try await first.identity.managementNames.page(of: tenant.id, after: nil, limit: 1)
                #expect(entries.isEmpty)
                group.cancelAll()
            }
        }
    }

    /// No node was notified of the end. Only the regular check finds the record.
    @Test func `the regular check removes the record of an enrollment whose end nobody announced`() async throws {
        try await withNodes { first, second, tenant, enrolled, device in
            try await second.link.reconcile(.all)
            let names = first.identity.managementNames
            let before = try await names.page(of: tenant.id, after: nil, limit: 1)
            #expect(before.count == 1)
            try await first.management.database.write { try $0.execute("UPDATE device SET state = 'left'") }
            let other = EnrolledDeviceID(tenant: tenant.id, udid: UDID(rawValue: "UDID-2"))
            try await second.link.reconcile(.only([other.reference]))
            let between = try await names.page(of: tenant.id, after: nil, limit: 1)
            #expect(between.count == 1)
            try await second.link.reconcile(.all)
            let after = try await names.page(of: tenant.id, after: nil, limit: 1)
            #expect(after.isEmpty)
        }
    }

    // MARK: What the engines call each other's devices

    /// Returns whether both engines know a device by a name.
    private func isKnown(_ text: String, at node: Node, _ tenant: Tenant) async throws -> [Bool] {
        let name = try #require(ObjectName(text))
        let joined = try await node.identity.devices(named: name, tenant: tenant.id.rawValue)
        let managed = try await node.management.devices(named: name, tenant: tenant.id.rawValue)
        return [!joined.isEmpty, !managed.isEmpty]
    }

    private func asker(_ device: DeviceID, _ tenant: Tenant) throws -> DeviceAsker {
        let epoch = try #require(DeviceEpoch(id: String(repeating: "a", count: 32), counter: 1))
        return DeviceAsker(tenant: tenant.id, device: device, epoch: epoch, session: nil)
    }

    @Test func `each engine learns what the other one calls a device, at its push channel and by the regular check`()
        async throws
    {
        try await withNodes { first, second, tenant, enrolled, device in
            try await first.management.database.write {
                try $0.execute("UPDATE device SET name = 'cart', serialNumber = 'SERIAL-1'")
            }
            let names = ["tablet-1", device.rawValue, "cart", "SERIAL-1", "UDID-1", "udid-1"]
            #expect(try await isKnown("cart", at: first, tenant) == [false, true])
            #expect(try await isKnown("tablet-1", at: first, tenant) == [true, false])
            try await second.link.join(try asker(device, tenant), enrolled)
            for name in names { #expect(try await isKnown(name, at: first, tenant) == [true, true], "\(name)") }

            try await first.management.database.write { try $0.execute("UPDATE device SET name = 'bed'") }
            try await first.management.setDirectoryNames(nil, of: enrolled, replacing: device.rawValue)
            #expect(try await isKnown("bed", at: first, tenant) == [false, true])
            try await second.link.reconcile(.all)
            #expect(try await isKnown("cart", at: first, tenant) == [false, false])
            for name in ["tablet-1", "bed", device.rawValue] {
                #expect(try await isKnown(name, at: first, tenant) == [true, true], "\(name)")
            }

            // The device enrolls anew: the directory no longer knows the former names.
            let next = EnrolledDeviceID(tenant: tenant.id, udid: UDID(rawValue: "UDID-2"))
            _ = try await first.identity.managementNames.set(next.udid.rawValue, of: device, tenant: tenant.id)
            #expect(try await isKnown("bed", at: first, tenant) == [false, true])
        }
    }

    @Test func `device management forgets the names of a device that is removed from the directory`() async throws {
        try await withNodes { first, second, tenant, enrolled, device in
            try await second.link.reconcile(.all)
            #expect(try await isKnown(device.rawValue, at: first, tenant) == [true, true])
            try await Administration(first.identity).devices.remove(device, tenant: tenant)
            try await second.link.reconcile(.all)
            #expect(try await isKnown(device.rawValue, at: first, tenant) == [false, false])
            // The device is still under management, by its name there.
            #expect(try await isKnown("tablet-1", at: first, tenant) == [false, true])
        }
    }

    @Test func `of several devices with one UDID, device management knows the one that joined last`() async throws {
        try await withNodes { first, second, tenant, enrolled, device in
            let later = try #require(DeviceID(rawValue: UUID().uuidString))
            try await first.identity.database.write { connection in
                try connection.execute(
                    """
                    INSERT INTO device (tenant, id, objectID, displayName, operatingSystem, operatingSystemVersion,
                        trustType, profileType, accountEnabled, isManaged, certificateHash, certificateExpires,
                        deviceKey, transportKey, registered, managedAs)
                    SELECT tenant, CAST(\(later) AS TEXT), CAST(\(later) AS TEXT), 'tablet-2', operatingSystem,
                        operatingSystemVersion, trustType, profileType, accountEnabled, isManaged, CAST('x' AS BLOB),
                        certificateExpires, deviceKey, transportKey, registered + 1, managedAs
                    FROM device
                    """)
            }
            try await second.link.reconcile(.all)
            #expect(try await isKnown(later.rawValue, at: first, tenant) == [true, true])
            try await second.link.join(try asker(device, tenant), enrolled)
            #expect(try await isKnown(device.rawValue, at: first, tenant) == [true, false])
            try await Administration(first.identity).devices.remove(later, tenant: tenant)
            try await second.link.checkDirectoryNames(of: tenant.id)
            #expect(try await isKnown(device.rawValue, at: first, tenant) == [true, true])
            #expect(try await isKnown(later.rawValue, at: first, tenant) == [false, false])
        }
    }

    /// The check finds names of a device that the directory does not list as managed. The device then opens its push
    /// channel, which finds the names as they should be.
    @Test func `the names of a device that joins during the check are not lost`() async throws {
        try await withNodes { first, second, tenant, enrolled, device in
            try await second.link.reconcile(.all)
            try await first.identity.database.write { try $0.execute("UPDATE device SET managedAs = NULL") }
            let interlude = InterleavedDatabase.Interlude()
            let management = try await MDMService(
                configuration: second.management.configuration,
                database: InterleavedDatabase(second.management.database, interlude),
                sealer: second.management.sealer)
            let link = MDMLink(identity: second.identity, management: management, logger: LogStream().logger)
            let asker = try asker(device, tenant)
            interlude.set { try await first.link.join(asker, enrolled) }
            try await link.checkDirectoryNames(of: tenant.id)
            #expect(try await isKnown(device.rawValue, at: first, tenant) == [true, true])
        }
    }

    // MARK: Organisations

    /// The check reads both databases, one after the other. Meanwhile another node adds an organisation.
    @Test func `an organisation that another node adds meanwhile is not mistaken for a removed one`() async throws {
        try await withNodes { first, second, tenant, enrolled, device in
            let added = Mutex<TenantID?>(nil)
            let pause = ReadPause(second.management.database) {
                let new = try await Administration(first.identity).tenants.add(
                    displayName: "Fabrikam", domain: "fabrikam.test")
                try await first.management.prepareTenant(new.id, organization: "Fabrikam", domain: "fabrikam.test")
                added.withLock { $0 = new.id }
            }
            let management = try await MDMService(
                configuration: second.management.configuration, database: pause, sealer: second.management.sealer)
            pause.begin()
            let link = MDMLink(identity: second.identity, management: management, logger: LogStream().logger)
            try await link.reconcile(.all)
            let new = added.withLock { $0 }
            let known = try await first.management.tenants()
            #expect(known.count == 2 && known.contains { $0 == new })
        }
    }
}

/// A database in which other work is done once, directly before a read.
private struct ReadPause: DatabaseLayer {
    let database: any Database
    private let work: @Sendable () async throws -> Void
    private let isDue = Flag()

    private final class Flag: Sendable {
        let value = Mutex(false)
    }

    init(_ database: any Database, _ work: @escaping @Sendable () async throws -> Void) {
        (self.database, self.work) = (database, work)
    }

    /// From now on, the next read waits for the work.
    func begin() { isDue.value.withLock { $0 = true } }

    func read<T: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> T) async throws -> T {
        let isDue = isDue.value.withLock { isDue in
            defer { isDue = false }
            return isDue
        }
        if isDue { try await work() }
        return try await database.read(body)
    }

    func observe(_ observer: @escaping @Sendable (any Announcement) -> Void) { database.observe(observer) }
}

/// The messages that a part of the server logs.
private struct LogStream: Sendable {
    private let messages: AsyncStream<String>
    let logger: Logger

    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        messages = stream
        logger = Logger(label: "test") { _ in Handler(messages: continuation) }
    }

    /// Waits for the first message that satisfies the condition.
    func first(where condition: (String) -> Bool) async {
        for await message in messages where condition(message) { return }
    }

    private struct Handler: LogHandler {
        let messages: AsyncStream<String>.Continuation
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { messages.yield("\(event.message)") }
    }
}
