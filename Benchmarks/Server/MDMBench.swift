// SPDX-License-Identifier: Apache-2.0
import AdminServer
import Crypto
import Encodings
import HTTPTypes
import Hummingbird
import MDMProtocol
import MDMServer
import Storage
import TestSupport

/// A management server over a database with one organisation.
struct MDMBench: Sendable {
    private static let tenant = "2f1c0a52-6f0e-4b1f-9f1c-8d2a4f3b7c10"

    let database: any Database
    let tenant: TenantID
    private let devices: RouterResponder<MDMContext>
    private let administration: TestClient<RouterResponder<AdminContext>>

    init(folder: String) async throws {
        try await self.init(
            database: try await SQLiteDatabase(path: folder + "/mdm.sqlite", migrations: MDMSchema.migrations),
            packages: folder + "/packages")
    }

    init(database: any Database, packages: String) async throws {
        guard let tenant = TenantID(rawValue: Self.tenant) else { throw BenchProblem("the tenant is malformed") }
        (self.database, self.tenant) = (database, tenant)
        let management = try await MDMService(
            configuration: MDMConfiguration(
                baseURL: "https://mdm.baton.test:8444", trustRoot: [0x30, 0], packageDirectory: packages),
            database: database, sealer: Self.sealer)
        try await management.prepareTenant(tenant, organization: "Contoso", domain: Bench.domain)
        let router = Router(context: MDMContext.self)
        management.addRoutes(to: router)
        let administration = Router(context: AdminContext.self)
        administration.add(middleware: FixedCaller(.localOperator(userID: nil)))
        management.addAdminRoutes(to: administration)
        (devices, self.administration) = (
            router.buildResponder(), TestClient(administration.buildResponder())
        )
    }

    private static let sealer = SecretSealer(
        seal: { bytes, purpose in
            guard let box = try AES.GCM.seal(bytes, using: key, authenticating: Array(purpose.utf8)).combined else {
                throw BenchProblem("a secret cannot be sealed")
            }
            return Array(box)
        },
        open: { sealed, purpose in
            Array(try AES.GCM.open(.init(combined: sealed), using: key, authenticating: Array(purpose.utf8)))
        })
    private static let key = SymmetricKey(data: [UInt8](repeating: 1, count: 32))

    /// A device in the database, whose certificate is known.
    struct Device: Sendable {
        let udid: String
        fileprivate let client: TestClient<RouterResponder<MDMContext>>
        fileprivate let idle: String
    }

    /// Returns devices that are spread over the `size` devices in the database, and gives each a certificate.
    func sample(of size: Int) async throws -> [Device] {
        let count = Load.sampleSize(of: size)
        var sample: [Device] = []
        for index in 1...count {
            let number = size * index / count
            let certificate = Array("certificate \(number)".utf8)
            let fingerprint = Hexadecimal.text(SHA256.hash(data: certificate))
            let udid: String = try await database.write { [tenant] connection in
                let id =
                    try connection.row("SELECT \(bulkID(.udid, size: size, of: "\(number)")) AS udid")?["udid"] ?? ""
                try connection.execute(
                    """
                    UPDATE enrollment SET fingerprint = \(fingerprint) WHERE tenant = \(tenant) AND udid = \(id)
                    """)
                return id
            }
            let client = TestClient(devices) { MDMContext(source: $0, certificate: certificate) }
            sample.append(
                Device(udid: udid, client: client, idle: try Self.message(udid, .idle)))
        }
        return sample
    }

    private static func message(_ udid: String, _ status: CommandResult.Status, _ uuid: String? = nil) throws -> String
    {
        let result = CommandResult(udid: udid, status: status, commandUUID: uuid)
        return String(decoding: try result.propertyList.xml(), as: UTF8.self)
    }

    private func put(_ body: String, from device: Device) async throws -> [UInt8] {
        let answer = try await device.client.send(.put, "/mdm/\(tenant)", body: body)
        guard answer.status == .ok else { throw BenchProblem(answer.text) }
        return answer.body
    }

    /// Sends a device's message that it is idle, and expects no command in the answer.
    func idle(_ device: Device) async throws {
        guard try await put(device.idle, from: device).isEmpty else { throw BenchProblem("a command was not expected") }
    }

    /// Measures idle messages, each from the next device of the sample.
    func idles(_ load: Load, _ sample: [Device]) async throws -> Measured {
        try await load.run {
            $0 * 7
        } _: { turn in
            try await idle(sample[turn % sample.count])
            return turn + 1
        }
    }

    /// Takes an inventory: an administrator queues two commands, and the device fetches and acknowledges both.
    func turn(_ device: Device) async throws {
        let queued = try await administration.send(.post, "/mdm/tenants/\(tenant)/devices/\(device.udid)/inventory")
        guard queued.status == .accepted else { throw BenchProblem(queued.text) }
        var body = try await put(device.idle, from: device)
        for _ in 0..<2 {
            let command = try CommandRequest(propertyList: PropertyList(xml: body))
            body = try await put(try Self.message(device.udid, .acknowledged, command.uuid), from: device)
        }
        guard body.isEmpty else { throw BenchProblem("a third command was not expected") }
    }
}
