// SPDX-License-Identifier: Apache-2.0
import CryptoExtras
import FoundationEssentials
import Glibc
import Hummingbird
import IdentityPlatform
import JSON
import OAuth
import Redaction
import Storage
import TestSupport

/// The platform over a database on disk, with one person and one application.
struct IdentityBench {
    private static let password = "correct horse battery"
    private let seconds: Double
    private let platform: Platform
    private let client: TestClient<HostResponder>
    private let tenant: Tenant
    private let app: Client

    init(seconds: Double) async throws {
        self.seconds = seconds
        let folder = FileManager.default.temporaryDirectory.appending(path: "baton-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var configuration = IdentityConfiguration(
            names: IdentityConfiguration.Names(login: "login.test", deviceRegistration: "drs.test", graph: "graph.test")
        )
        configuration.compatibility.passwordGrant = true
        platform = try await Platform(
            configuration: configuration,
            database: try await SQLiteDatabase(
                path: folder.appending(path: "identity.sqlite").path, migrations: Schema.migrations),
            storageKey: try StorageKey(SecretBytes(copying: Array(repeating: 7, count: StorageKey.length))))
        client = TestClient(platform.responder(), host: "login.test")
        let administration = Administration(platform)
        tenant = try await administration.addTenant(displayName: "Contoso", domain: "contoso.test")
        _ = try await administration.addUser(
            "amara@contoso.test", profile: User.Profile(displayName: "Amara"), password: Sensitive(Self.password),
            tenant: tenant)
        app = try await administration.addClient(
            NewClient(displayName: "Ward", redirectURIs: ["http://localhost"]), tenant: tenant)
    }

    /// What the signing key does alone.
    func signatures() async throws {
        let key = try await platform.keys.current(of: tenant.id)
        let payload = Array(String(repeating: "x", count: 900).utf8)
        let rate = try measured { _ = try key.signer.token(payload: payload) }
        print("RS256 signatures, one thread: \(Int(rate)) /s")
    }

    /// Refresh grants without an id token: one signature, one transaction that is on disk before the answer.
    func refreshes(tasks: Int) async throws {
        var tokens: [String] = []
        for _ in 0..<tasks { tokens.append(try await signIn()) }
        let (begin, cpu) = (Date(), Self.processorTime())
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for token in tokens { group.addTask { try await refresh(token, until: begin + seconds) } }
            return try await group.reduce(0, +)
        }
        let (wall, used) = (Date().timeIntervalSince(begin), Self.processorTime() - cpu)
        print(
            "refresh grants, \(tasks) at a time: \(Int(Double(count) / wall)) /s, "
                + "\(Int(Double(count) / used)) per second of processor time")
    }

    /// A sign-in by password against the bare hash.
    func signIns() async throws {
        let cost = PasswordCost.standard
        let raw = try measured {
            _ = try KDF.Scrypt.deriveKey(
                from: Array(Self.password.utf8), salt: Array(repeating: UInt8(1), count: 16), outputByteCount: 32,
                rounds: 1 << cost.logarithm, blockSize: cost.blockSize, parallelism: cost.parallelism)
        }
        let begin = Date()
        var count = 0
        while Date() < begin + seconds {
            _ = try await signIn()
            count += 1
        }
        let rate = Double(count) / Date().timeIntervalSince(begin)
        print("sign-ins by password: \(Self.text(1000 / rate)) ms, \(Self.text(raw / rate)) of the bare hash")
    }

    private func signIn() async throws -> String {
        let answer = try await client.post(
            "/\(tenant.id)/oauth2/v2.0/token",
            form: [
                "grant_type": "password", "client_id": app.id.rawValue, "username": "amara@contoso.test",
                "password": Self.password, "scope": "offline_access User.Read",
            ])
        return try Members(decoding: answer.body).string(ReplyName.refreshToken)
    }

    private func refresh(_ first: String, until end: Date) async throws -> Int {
        var (token, count) = (first, 0)
        while Date() < end {
            let answer = try await client.post(
                "/\(tenant.id)/oauth2/v2.0/token",
                form: ["grant_type": "refresh_token", "client_id": app.id.rawValue, "refresh_token": token])
            token = try Members(decoding: answer.body).string(ReplyName.refreshToken)
            count += 1
        }
        return count
    }

    /// How often a second something can be done.
    private func measured(_ work: () throws -> Void) rethrows -> Double {
        let begin = Date()
        var count = 0
        while Date() < begin + seconds {
            try work()
            count += 1
        }
        return Double(count) / Date().timeIntervalSince(begin)
    }

    /// Seconds of processor time of this process so far.
    private static func processorTime() -> Double { Double(clock()) / 1_000_000 }

    private static func text(_ number: Double) -> String { "\((number * 100).rounded() / 100)" }
}
