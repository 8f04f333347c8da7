// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import AdminServer
import Crypto
import DeviceHTTPS
import Files
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import MDMProtocol
import MDMServer
import NIOCore
import NIOEmbedded
import Redaction
import Storage
import StorageTestSupport
import Synchronization
import TestSupport
import Testing

/// A management server with one tenant on a real database, and a scratch folder.
struct TestMDM: Sendable {
    static let tenant = "2f1c0a52-6f0e-4b1f-9f1c-8d2a4f3b7c10"

    let management: MDMService
    let folder: Directory
    let admin: TestClient<RouterResponder<AdminContext>>
    let devices: RouterResponder<MDMContext>
    let now: Clock
    let disk: Disk

    final class Clock: Sendable {
        let value = Mutex<Int64>(1_795_244_100_000)

        func advance(days: Int64) { value.withLock { $0 += days * 86_400_000 } }
    }

    /// Records which folders the server synced to disk. A test can make the calls fail.
    final class Disk: Sendable {
        let synced = Mutex<[String]>([])
        let isBroken = Mutex(false)

        func sync(_ folder: String) throws {
            synced.withLock { $0.append(folder) }
            if isBroken.withLock({ $0 }) { throw CocoaError(.fileWriteUnknown) }
        }
    }

    /// Returns a sealer with a key that the test chooses.
    static func sealer(_ key: UInt8 = 1) -> SecretSealer {
        let key = [UInt8](repeating: key, count: 32)
        return SecretSealer(
            seal: { bytes, purpose in
                let sealed = try AES.GCM.seal(
                    bytes, using: SymmetricKey(data: key), authenticating: Array(purpose.utf8))
                return Array(try #require(sealed.combined))
            },
            open: { sealed, purpose in
                Array(
                    try AES.GCM.open(
                        .init(combined: sealed), using: SymmetricKey(data: key), authenticating: Array(purpose.utf8)))
            })
    }

    private static let databases = EngineDatabases(schema: "mdm", MDMSchema.migrations)

    /// - Parameters:
    ///   - kind: the kind of its database, for tests that need SQLite.
    ///   - wrap: inserts a layer between the server and its database.
    static func with(
        on kind: EngineDatabase = .chosen, wrapping wrap: (any Database) -> any Database = { $0 },
        _ body: (TestMDM) async throws -> Void
    ) async throws {
        // The folder is in memory if possible, because ``Disk`` takes the place of the real disk.
        let memory = "/dev/shm"
        let place = FileManager.default.isWritableFile(atPath: memory) ? memory : NSTemporaryDirectory()
        let folder = Directory(path: "\(place)/baton-mdm-\(UUID().uuidString)")
        try folder.make()
        defer { #expect(throws: Never.self) { try folder.removeTree() } }
        let database: any Database =
            switch kind {
            case .sqlite:
                try await SQLiteDatabase(path: folder.path + "/mdm.sqlite", migrations: MDMSchema.migrations)
            case .postgresql: try await databases.make(kind)
            }
        try await body(try await TestMDM(over: wrap(database), folder: folder, now: Clock(), disk: Disk()))
    }

    /// Returns a server on another database in the same folder.
    func over(_ database: any Database, arePackagesInDatabase: Bool = false) async throws -> TestMDM {
        try await TestMDM(
            over: database, folder: folder, now: now, disk: disk, arePackagesInDatabase: arePackagesInDatabase)
    }

    private init(
        over database: any Database, folder: Directory, now: Clock, disk: Disk, arePackagesInDatabase: Bool = false
    ) async throws {
        let management = try await MDMService(
            configuration: MDMConfiguration(
                baseURL: "https://mdm.baton.test:8444", trustRoot: [0x30, 0],
                packageDirectory: folder.path + "/packages", arePackagesInDatabase: arePackagesInDatabase),
            database: database, sealer: Self.sealer(),
            sources: MDMSources(
                now: { Timestamp(rawValue: now.value.withLock { $0 }) },
                random: { (0..<$0).map { _ in UInt8.random(in: 0...255) } },
                sync: { try disk.sync($0) }))
        try await management.prepareTenant(
            try #require(TenantID(rawValue: Self.tenant)), organization: "Contoso", domain: "contoso.example")
        let router = Router(context: MDMContext.self)
        management.addRoutes(to: router)
        let adminRouter = Router(context: AdminContext.self)
        adminRouter.add(middleware: FixedCaller(.localOperator(userID: nil)))
        management.addAdminRoutes(to: adminRouter)
        (self.management, self.folder, self.now, self.disk) = (management, folder, now, disk)
        (admin, devices) = (TestClient(adminRouter.buildResponder()), router.buildResponder())
    }

    // MARK: Administration

    func call<Answer: Decodable>(
        _ method: HTTPRequest.Method, _ path: String, _ body: (any Encodable)? = nil, as type: Answer.Type = Answer.self
    ) async throws -> Answer {
        let answer = try await raw(method, path, body)
        try #require((200..<300).contains(answer.status.code), "\(answer.status) \(answer.text)")
        return try JSONDecoder().decode(Answer.self, from: Data(answer.body))
    }

    @discardableResult
    func raw(_ method: HTTPRequest.Method, _ path: String, _ body: (any Encodable)? = nil) async throws -> TestResponse
    {
        let text = try body.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
        return try await admin.send(method, "/mdm/tenants/-\(path)", body: text)
    }

    func refusal(_ method: HTTPRequest.Method, _ path: String, _ body: (any Encodable)? = nil) async throws -> String {
        let answer = try await raw(method, path, body)
        return try JSONDecoder().decode(AdminFailure.self, from: Data(answer.body)).error.code
    }

    func enrollmentProfile(named name: String, takesOver udid: String? = nil) async throws -> [UInt8] {
        let made: MDMAdmin.EnrollmentProfile = try await call(
            .post, "/enrollments", MDMAdmin.NewEnrollment(name: name, takesOver: udid))
        return Array(try #require(Data(base64Encoded: made.profile.exposed)))
    }

    func commands(_ device: String) async throws -> [MDMAdmin.Command] {
        try await call(.get, "/devices/\(device)/commands")
    }

    /// The device's commands other than requests for its inventory.
    func changes(_ device: String) async throws -> [MDMAdmin.Command] {
        try await commands(device).filter { !["ProfileList", "ManagedApplicationList"].contains($0.requestType) }
    }

    /// Offers an app whose program has this content.
    func register(_ content: String, bundleIdentifier: String = "org.baton.authenticator") async throws {
        let path = folder.path + "/upload"
        try Data(Self.program(content)).write(to: URL(filePath: path))
        let app = MDMAdmin.NewApp(path: path, bundleIdentifier: bundleIdentifier, version: "1.0", title: "App")
        let _: MDMAdmin.App = try await call(.post, "/apps", app)
    }

    /// The bytes of a Linux program, as far as the server checks them.
    static func program(_ content: String) -> [UInt8] {
        [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1] + [UInt8](repeating: 0, count: 9) + [3, 0] + Array(content.utf8)
    }

    // MARK: Devices

    /// Sends bytes as a device with this certificate.
    func send(
        _ body: [UInt8], certificate: [UInt8]?, isCheckIn: Bool = false, method: HTTPRequest.Method = .put,
        path: String = "/mdm/\(tenant)"
    ) async throws -> HTTPSClient.Response {
        var headers: HTTPFields = [:]
        if isCheckIn { headers[.contentType] = CheckInMessage.mediaType }
        let head = HTTPRequest(
            method: method, scheme: "https", authority: "mdm.baton.test:8444", path: path, headerFields: headers)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let source = ApplicationRequestContextSource(channel: NIOAsyncTestingChannel(), logger: logger)
        let response = try await devices.respond(
            to: Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: body))),
            context: MDMContext(source: source, certificate: certificate))
        let bytes = Collected()
        try await response.body.write(Writer(bytes: bytes))
        let fields = response.headers.map { (name: $0.name.rawName, value: $0.value) }
        return HTTPSClient.Response(
            status: response.status.code, headers: fields, body: bytes.value.withLock { $0 })
    }

    final class Collected: Sendable {
        let value = Mutex<[UInt8]>([])
    }

    private struct Writer: ResponseBodyWriter {
        let bytes: Collected

        mutating func write(_ buffer: ByteBuffer) async throws {
            bytes.value.withLock { $0 += Array(buffer.readableBytesView) }
        }
        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }
}
