// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import IdentityPlatform
import OAuth
import Redaction
import Storage
import StorageTestSupport
import Synchronization
import TestSupport

/// A platform with a real database of its own, with one organisation, two people and one application. Only the test
/// advances its clock.
struct TestPlatform: Sendable {
    static let password = "correct horse battery"
    static let redirect = "http://localhost"

    let platform: Platform
    let client: TestClient<HostResponder>
    let clock: Clock
    let tenant: Tenant
    let amara: User
    let bo: User
    let app: Client

    private static let databases = EngineDatabases(schema: "identity", IdentitySchema.migrations)

    /// - Parameters:
    ///   - configure: changes the operator's settings.
    ///   - kind: the kind of its database, for tests that need SQLite.
    ///   - wrap: inserts a layer between the platform and its database.
    ///   - firstKey: the number of its first RSA key (``RSAKeys``), for tests in which two platforms must not share
    ///     keys.
    init(
        _ configure: (inout IdentityConfiguration) -> Void = { _ in }, on kind: EngineDatabase = .chosen,
        over wrap: (any Database) -> any Database = { $0 }, firstKey: Int = 0
    ) async throws {
        clock = Clock()
        var configuration = IdentityConfiguration(
            names: IdentityConfiguration.Names(
                login: "login.test", deviceRegistration: "drs.test", graph: "graph.test", port: 8443,
                administration: "admin.test"))
        configuration.passwordCost = .minimal
        configure(&configuration)
        let clock = clock
        platform = try await Platform(
            configuration: configuration, database: wrap(try await Self.databases.make(kind)),
            storageKey: try Self.storageKey(),
            environment: ClockAndRandomness(
                now: { clock.now }, randomBytes: ClockAndRandomness.system.randomBytes,
                makeRSAKey: RSAKeys(from: firstKey).next))
        client = TestClient(platform.responder(), host: "login.test:8443")
        let administration = Administration(platform)
        tenant = try await administration.tenants.add(displayName: "Contoso", domain: "contoso.test")
        amara = try await administration.users.add(
            "amara@contoso.test",
            profile: User.Profile(
                displayName: "Amara Okafor", givenName: "Amara", surname: "Okafor", mail: "amara@mail.test",
                jobTitle: "Nurse"),
            password: Sensitive(Self.password), tenant: tenant)
        bo = try await administration.users.add(
            "bo@contoso.test", profile: User.Profile(displayName: "Bo"), password: Sensitive(Self.password),
            tenant: tenant)
        app = try await administration.clients.add(
            NewClient(
                displayName: "Ward <app>", redirectURIs: [Self.redirect, "https://app.test/cb", "msauth.test://auth"]),
            tenant: tenant)
    }

    var administration: Administration { Administration(platform) }

    /// Returns the platform as after a restart of the server: with the same database, and optionally with a different
    /// configuration or storage key. Everything that was only in memory is lost.
    func restarted(
        configuration: IdentityConfiguration? = nil, storageKey: UInt8 = 7,
        over wrap: (any Database) -> any Database = { $0 }
    ) async throws -> TestPlatform {
        TestPlatform(
            platform: try await Platform(
                configuration: configuration ?? platform.configuration, database: wrap(platform.database),
                storageKey: try Self.storageKey(storageKey), environment: platform.environment),
            like: self)
    }

    /// Returns a copy of the database as it is now.
    func backup() async throws -> any Database { try await Self.databases.copy(of: platform.database) }

    /// Returns the platform as after a restore of the backup. Everything that was only in memory is lost.
    func restored(from backup: any Database) async throws -> TestPlatform {
        TestPlatform(
            platform: try await Platform(
                configuration: platform.configuration, database: backup, storageKey: try Self.storageKey(),
                environment: platform.environment), like: self)
    }

    /// Returns the same platform with a client that calls it from a different address.
    func from(_ address: String) -> TestPlatform { TestPlatform(platform: platform, like: self, address: address) }

    /// Returns a client that presents a certificate (DER), or none, in its TLS handshake.
    func client(showing certificate: [UInt8]?) -> TestClient<HostResponder> {
        TestClient(platform.responder(), host: "login.test:8443") {
            IdentityContext(source: $0, certificate: certificate)
        }
    }

    private init(platform: Platform, like other: TestPlatform, address: String? = nil) {
        self.platform = platform
        client = TestClient(platform.responder(), host: "login.test:8443", address: address)
        (clock, tenant, amara, bo, app) = (other.clock, other.tenant, other.amara, other.bo, other.app)
    }

    static func storageKey(_ byte: UInt8 = 7) throws -> StorageKey {
        try StorageKey(SecretBytes(copying: Array(repeating: byte, count: StorageKey.length)))
    }

    /// A clock that only the test advances.
    final class Clock: Sendable {
        private let time = Mutex(Timestamp(seconds: 1_800_000_000))

        var now: Timestamp { time.withLock { $0 } }
        func advance(by duration: Duration) { time.withLock { $0 = $0 + duration } }
    }
}
