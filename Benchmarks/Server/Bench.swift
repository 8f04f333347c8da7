// SPDX-License-Identifier: Apache-2.0
import CryptoExtras
import FoundationEssentials
import HTTPTypes
import Hummingbird
import IdentityPlatform
import OAuth
import Redaction
import ServerMetrics
import Storage
import TestSupport

/// A platform over a database with one organisation, one person and two applications.
struct Bench: Sendable {
    typealias PlatformClient = TestClient<MeasuredResponder<HostResponder>>

    static let password = "correct horse battery"
    static let domain = "contoso.test"
    static let amara = "amara@contoso.test"
    static let redirect = "http://localhost"
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

    let platform: Platform
    let client: PlatformClient
    let tenant: Tenant
    /// Applications whose tokens are signed with RSA (`app`) and on P-256 (`curveApp`).
    let app: Client
    let curveApp: Client
    /// The folder of the database.
    let folder: String
    let deviceKeys: DeviceKeys

    /// Creates the platform over a database in a folder.
    init(folder: String, passwordCost: Int, deviceKeys: DeviceKeys? = nil) async throws {
        guard let cost = PasswordCost(logarithm: passwordCost, blockSize: 8, parallelism: 3) else {
            throw BenchProblem("--password-cost is out of range")
        }
        try await self.init(
            database: try await SQLiteDatabase(
                path: folder + "/identity.sqlite", migrations: IdentitySchema.migrations),
            passwordCost: cost, folder: folder, deviceKeys: deviceKeys ?? DeviceKeys())
    }

    init(
        database: SQLiteDatabase, passwordCost: PasswordCost, folder: String = "", deviceKeys: DeviceKeys,
        environment: ClockAndRandomness = .system, metrics: PrometheusFactory? = nil
    ) async throws {
        (self.folder, self.deviceKeys) = (folder, deviceKeys)
        platform = try await Platform(
            configuration: IdentityConfiguration(
                names: IdentityConfiguration.Names(
                    login: "login.test", deviceRegistration: "drs.test", graph: "graph.test", port: 8443),
                passwordCost: passwordCost),
            database: metrics.map { MeasuredDatabase(database, name: "identity", factory: $0) } ?? database,
            storageKey: try StorageKey(SecretBytes(copying: Array(repeating: 7, count: StorageKey.length))),
            environment: environment, metrics: metrics.map { IdentityMetrics($0) } ?? IdentityMetrics())
        let responder = platform.responder()
        let routes = responder.routes.map { ServedRoute(method: $0.method, path: $0.path) }
        metrics?.declare(RequestMetrics.declarations(["main": routes]))
        client = TestClient(
            MeasuredResponder(
                responder, metrics.map { RequestMetrics(listener: "main", routes: routes, factory: $0) }),
            host: "login.test:8443")
        let administration = Administration(platform)
        tenant = try await administration.tenants.add(displayName: "Contoso", domain: Self.domain)
        let amara = try await administration.users.add(
            Self.amara, profile: User.Profile(displayName: "Amara"), password: Sensitive(Self.password), tenant: tenant)
        try await administration.users.assign(.cloudDeviceAdministrator, to: amara)
        app = try await administration.clients.add(
            NewClient(displayName: "Ward", redirectURIs: [Self.redirect]), tenant: tenant)
        curveApp = try await administration.clients.add(
            NewClient(displayName: "Ward", redirectURIs: [Self.redirect], tokenAlgorithm: .es256), tenant: tenant)
    }

    /// Posts a form and returns the members of the reply, which must be a success.
    func token(_ form: KeyValuePairs<String, String>) async throws -> Members {
        let reply = try await client.post("/\(tenant.id)/oauth2/v2.0/token", form: form)
        guard reply.status == .ok else { throw BenchProblem(reply.text) }
        return try Members(decoding: reply.body)
    }

    /// Signs a person in through the page and redeems the code.
    func signIn(_ user: String = amara, client id: String, scope: String) async throws -> Members {
        let code = try await code(user, client: id, scope: scope)
        return try await token([
            "grant_type": "authorization_code", "client_id": id, "code": code, "redirect_uri": Self.redirect,
            "code_verifier": Self.verifier,
        ])
    }

    private func code(_ user: String, client id: String, scope: String) async throws -> String {
        let page = try await page(client: id, scope: scope)
        let location = try await page.submit(user, to: client)
        guard let query = location.split(separator: "?").dropFirst().first,
            let code = try FormParameters(parsing: query.utf8)[ParameterName.code]
        else { throw BenchProblem("no code: \(location)") }
        return code
    }

    /// The sign-in page of a request.
    func page(client id: String, scope: String) async throws -> SignInPage {
        let parameters = [
            "client_id=\(id)", "response_type=code", "redirect_uri=\(percentEncoded(Self.redirect))",
            "scope=\(percentEncoded(scope))", "code_challenge=\(ProofKey.challenge(for: Self.verifier))",
            "code_challenge_method=S256",
        ]
        let path = "/\(tenant.id)/oauth2/v2.0/authorize?\(parameters.joined(separator: "&"))"
        return try SignInPage(try await client.get(path))
    }
}

/// The values that a browser reads from the sign-in page.
struct SignInPage: Sendable {
    private let action: String
    private let csrf: String
    private let request: String
    private let cookie: String

    init(_ response: TestResponse) throws {
        func between(_ start: String, _ end: Character) throws -> String {
            guard let found = response.text.firstRange(of: start) else { throw BenchProblem(response.text) }
            return String(response.text[found.upperBound...].prefix { $0 != end })
                .replacing("&amp;", with: "&").replacing("&#39;", with: "'")
        }
        action = try between("action=\"", "\"")
        csrf = try between("name=\"csrf\" value=\"", "\"")
        request = try between("name=\"request\" value=\"", "\"")
        cookie = String((response.headers[.setCookie] ?? "").prefix { $0 != ";" })
    }

    /// Signs in; returns the address of the redirect, which contains the code.
    @discardableResult
    func submit(_ user: String, to client: Bench.PlatformClient) async throws -> String {
        let answer = try await client.post(
            action, form: ["csrf": csrf, "request": request, "username": user, "password": Bench.password],
            headers: [.cookie: cookie])
        guard let location = answer.headers[.location] else { throw BenchProblem(answer.text) }
        return location
    }
}

struct BenchProblem: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
