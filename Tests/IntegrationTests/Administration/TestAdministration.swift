// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import AdminServer
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import IdentityPlatform
import JSON
import MDMServer
import OAuth
import Redaction
import Storage
import StorageTestSupport
import Synchronization
import TestSupport
import Testing

@testable import baton_server

/// Both engines in this process, with the routes of both interfaces of administration and with databases of their own. Only
/// the test advances the clock, and the test can act between a check and the act that it allows.
struct TestAdministration: Sendable {
    static let password = "correct horse battery"
    static let resource = "https://admin.test:8445"

    let platform: Platform
    let management: MDMService
    let clock: Clock
    let tenant: Tenant
    /// Has the role Global Administrator.
    let admin: User
    /// Has no role.
    let bo: User
    /// Runs before the next write of the directory's database.
    let beforeAct = InterleavedDatabase.Interlude()
    /// Runs before the next write of device management's database.
    let beforeManagementAct = InterleavedDatabase.Interlude()
    private let identity: TestClient<HostResponder>
    private let https: TestClient<RouterResponder<AdminContext>>
    private let socket: TestClient<RouterResponder<AdminContext>>

    private static let directories = EngineDatabases(schema: "identity", IdentitySchema.migrations)
    private static let managements = EngineDatabases(schema: "mdm", MDMSchema.migrations)

    /// - Parameters:
    ///   - directory: the directory's database; by default a new one.
    ///   - devices: device management's database; by default a new one.
    init(directory: (any Database)? = nil, devices: (any Database)? = nil) async throws {
        var configuration = IdentityConfiguration(
            names: IdentityConfiguration.Names(
                login: "login.test", deviceRegistration: "drs.test", graph: "graph.test", port: 8443,
                administration: "admin.test"))
        configuration.passwordCost = .minimal
        configuration.compatibility.passwordGrant = true
        let clock = Clock()
        let ownDirectory = if let directory { directory } else { try await Self.directories.make() }
        let ownDevices = if let devices { devices } else { try await Self.managements.make() }
        platform = try await Platform(
            configuration: configuration, database: InterleavedDatabase(ownDirectory, beforeAct),
            storageKey: try StorageKey(SecretBytes(copying: [UInt8](repeating: 7, count: StorageKey.length))),
            environment: ClockAndRandomness(
                now: { clock.now }, randomBytes: ClockAndRandomness.system.randomBytes,
                makeRSAKey: ClockAndRandomness.system.makeRSAKey))
        management = try await MDMService(
            configuration: MDMConfiguration(
                baseURL: "https://mdm.test:8444", trustRoot: [0x30, 0], packageDirectory: "/nonexistent",
                arePackagesInDatabase: true),
            database: InterleavedDatabase(ownDevices, beforeManagementAct),
            sealer: SecretSealer(seal: { bytes, _ in bytes }, open: { bytes, _ in bytes }),
            sources: MDMSources(
                now: { clock.now }, random: ClockAndRandomness.system.randomBytes, sync: { _ in }))
        self.clock = clock
        let interfaces = baton_server.Administration(identity: platform, management: management)
        identity = TestClient(platform.responder(), host: "login.test:8443")
        https = TestClient(
            try #require(interfaces.remote()).buildResponder(), host: "admin.test:8445")
        let operated = Router(context: AdminContext.self)
        operated.add(middleware: FixedCaller(.localOperator(userID: nil)))
        operated.add(middleware: PathCheck())
        AdminRoutes(platform).addRoutes(to: operated)
        management.addAdminRoutes(to: operated)
        socket = TestClient(operated.buildResponder())
        let acts = IdentityPlatform.Administration(platform)
        tenant = try await acts.tenants.add(displayName: "Contoso", domain: "contoso.test")
        admin = try await Self.person("admin", tenant, acts)
        try await acts.users.assign(.globalAdministrator, to: admin)
        bo = try await Self.person("bo", tenant, acts)
        try await management.prepareTenant(tenant.id, organization: "Contoso", domain: "contoso.test")
    }

    /// The acts of the machine's operator, without an interface.
    var acts: IdentityPlatform.Administration { IdentityPlatform.Administration(platform) }

    private static func person(
        _ name: String, _ tenant: Tenant, _ acts: IdentityPlatform.Administration
    ) async throws -> User {
        try await acts.users.add(
            "\(name)@\(tenant.domain)", profile: User.Profile(displayName: name), password: Sensitive(password),
            tenant: tenant)
    }

    /// Adds a person with these roles.
    func person(_ name: String, _ roles: DirectoryRole..., tenant other: Tenant? = nil) async throws -> User {
        let user = try await Self.person(name, other ?? tenant, acts)
        for role in roles { try await acts.users.assign(role, to: user) }
        return user
    }

    // MARK: Tokens

    /// Signs a person in and returns the access token.
    func token(
        of user: User, scope: String = "\(resource)/.default", client: String = AdministrationApp.clientID
    ) async throws -> String {
        let answer = try await tokenAnswer(
            user.tenant,
            [
                "grant_type": "password", "client_id": client, "scope": scope, "username": user.userPrincipalName,
                "password": Self.password,
            ])
        #expect(answer.status == .ok, "\(answer.text)")
        return try Members(decoding: answer.body).string(ReplyName.accessToken)
    }

    /// Adds an application with a key and these permissions.
    func application(_ permissions: String...) async throws -> Application {
        let client = try await acts.clients.add(
            NewClient(displayName: "Inventory", redirectURIs: [], isConfidential: true), tenant: tenant)
        let key = SigningKey.p256(P256.Signing.PrivateKey())
        _ = try await acts.clients.addKey(try key.publicPEM(), name: "first", to: client)
        for permission in permissions { try await acts.clients.grant(permission, to: client) }
        return Application(client: client, key: key)
    }

    struct Application: Sendable {
        let client: Client
        let key: SigningKey
    }

    /// Returns a token of an application, or of its namesake in another tenant.
    func token(of application: Application, in other: Tenant? = nil) async throws -> String {
        let (id, tenant) = (application.client.id.rawValue, other?.id ?? tenant.id)
        let assertion = try application.key.assertion(
            client: id, audience: "https://login.test:8443/\(tenant)/oauth2/v2.0/token", at: clock.now.seconds)
        let answer = try await tokenAnswer(
            tenant,
            [
                "grant_type": "client_credentials", "client_id": id, "scope": "\(Self.resource)/.default",
                "client_assertion_type": SigningKey.assertionType, "client_assertion": assertion,
            ])
        #expect(answer.status == .ok, "\(answer.text)")
        return try Members(decoding: answer.body).string(ReplyName.accessToken)
    }

    /// Posts a form to the token endpoint.
    func tokenAnswer(_ tenant: TenantID, _ form: [String: String]) async throws -> TestResponse {
        let body = form.map { "\($0)=\(percentEncoded($1))" }.sorted().joined(separator: "&")
        return try await identity.send(.post, "/\(tenant)/oauth2/v2.0/token", body: body)
    }

    /// Revokes a client's refresh token, and everything that belongs to it.
    func revoke(_ refreshToken: String, client: String) async throws -> TestResponse {
        try await identity.send(
            .post, "/\(tenant.id)/oauth2/v2.0/revoke",
            body: "client_id=\(client)&token=\(percentEncoded(refreshToken))")
    }

    /// Signs the administrator in to an application that may change the directory through Graph.
    func graphToken() async throws -> String {
        let scopes = [
            "User.ReadWrite.All", "Group.ReadWrite.All", "Policy.ReadWrite.DeviceConfiguration",
        ]
        let client = try await acts.clients.add(
            NewClient(displayName: "Tools", redirectURIs: ["http://localhost"], permissions: scopes), tenant: tenant)
        let scope = (["openid"] + scopes.map { "https://graph.test/\($0)" }).joined(separator: " ")
        return try await token(of: admin, scope: scope, client: client.id.rawValue)
    }

    /// Calls Graph.
    func graph(_ method: HTTPRequest.Method, _ path: String, token: String, body: String? = nil) async throws
        -> TestResponse
    {
        try await identity.send(
            method, path, host: "graph.test", headers: [.authorization: "Bearer \(token)"], body: body)
    }

    // MARK: Calls

    /// Calls an operation through the HTTPS interface.
    func call(
        _ operation: AdminOperation, _ places: [String: String] = [:], query: [(String, String)] = [],
        token: String?, headers: HTTPFields = [:], body: String? = nil
    ) async throws -> TestResponse {
        let path = operation.path(places.merging(["tenant": "-"]) { place, _ in place }, query: query)
        return try await send(operation.httpMethod, path, token: token, headers: headers, body: body)
    }

    /// Sends a request to the HTTPS interface.
    func send(
        _ method: HTTPRequest.Method, _ path: String, host: String? = nil, token: String?, headers: HTTPFields = [:],
        body: String? = nil
    ) async throws -> TestResponse {
        var headers = headers
        if let token { headers[.authorization] = "Bearer \(token)" }
        return try await https.send(method, path, host: host, headers: headers, body: body)
    }

    /// Calls an operation through the socket.
    func operate(
        _ operation: AdminOperation, _ places: [String: String] = [:], query: [(String, String)] = [],
        headers: HTTPFields = [:], body: String? = nil
    ) async throws -> TestResponse {
        let path = operation.path(places.merging(["tenant": "-"]) { place, _ in place }, query: query)
        return try await operate(operation.httpMethod, path, headers: headers, body: body)
    }

    /// Sends a request to the socket.
    func operate(
        _ method: HTTPRequest.Method, _ path: String, headers: HTTPFields = [:], body: String? = nil
    ) async throws -> TestResponse {
        try await socket.send(method, path, headers: headers, body: body)
    }

    /// A clock that only the test advances.
    final class Clock: Sendable {
        private let time = Mutex(Timestamp(seconds: 1_800_000_000))

        var now: Timestamp { time.withLock { $0 } }
        func advance(by duration: Duration) { time.withLock { $0 = $0 + duration } }
    }
}

extension SigningKey {
    static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    /// The public half of the key as PEM.
    func publicPEM() throws -> String {
        let der = try #require(verification.publicKeyInfo)
        let lines = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN PUBLIC KEY-----\n\(lines)\n-----END PUBLIC KEY-----\n"
    }

    /// Returns an assertion with which an application authenticates (RFC 7523).
    ///
    /// - Parameter time: the time in seconds since 1970.
    func assertion(client: String, audience: String, at time: Int64) throws -> String {
        let claims: [String: JSONValue] = [
            "iss": .string(client), "sub": .string(client), "aud": .string(audience), "exp": .integer(Int(time) + 600),
            "jti": .string(UUID().uuidString),
        ]
        return try TokenSigner(key: self, keyID: "any").token(payload: JSONWriter.write(.object(claims)))
    }
}

extension AdminOperation {
    /// The method for a request of the test's client.
    var httpMethod: HTTPRequest.Method {
        switch method {
        case .get: .get
        case .post: .post
        case .put: .put
        case .patch: .patch
        case .delete: .delete
        }
    }
}

extension TestResponse {
    /// The code of a refusal of the administration; nil for another answer.
    var refusal: String? { failure?.code }

    /// A refusal of the administration; nil for another answer.
    var failure: AdminFailure.Reason? { try? JSONDecoder().decode(AdminFailure.self, from: Data(body)).error }

    /// Decodes an answer that must be a success.
    func decoded<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        #expect(status.kind == .successful, "\(status) \(text)")
        return try JSONDecoder().decode(Value.self, from: Data(body))
    }

    /// A member of a JSON object that must be a text.
    func member(_ name: String) throws -> String {
        try #require(
            (try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])?[name] as? String, "\(text)")
    }
}
