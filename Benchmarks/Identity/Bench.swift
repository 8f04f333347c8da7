// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import HTTPTypes
import Hummingbird
import IdentityPlatform
import OAuth
import Redaction
import Storage
import TestSupport

/// A platform over a database on disk, with one organisation, one person and one application.
struct Bench: Sendable {
    static let password = "correct horse battery"
    static let userName = "amara@contoso.test"
    static let redirect = "http://localhost"
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

    let platform: Platform
    let client: TestClient<HostResponder>
    let tenant: Tenant
    /// Applications whose tokens are signed with RSA (`app`) and on P-256 (`curveApp`).
    let app: Client
    let curveApp: Client
    private let folder: String

    init(directory: String, passwordCost: Int) async throws {
        folder = directory + "/identity-benchmark-\(UInt32.random(in: 0...UInt32.max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var configuration = IdentityConfiguration(
            names: IdentityConfiguration.Names(
                login: "login.test", deviceRegistration: "drs.test", graph: "graph.test", port: 8443))
        guard let cost = PasswordCost(logarithm: passwordCost, blockSize: 8, parallelism: 3) else {
            throw BenchProblem("--password-cost is out of range")
        }
        configuration.passwordCost = cost
        platform = try await Platform(
            configuration: configuration,
            database: try await SQLiteDatabase(
                path: folder + "/identity.sqlite", migrations: IdentitySchema.migrations),
            storageKey: try StorageKey(SecretBytes(copying: Array(repeating: 7, count: StorageKey.length))))
        client = TestClient(platform.responder(), host: "login.test:8443")
        let administration = Administration(platform)
        tenant = try await administration.addTenant(displayName: "Contoso", domain: "contoso.test")
        let amara = try await administration.addUser(
            Self.userName, profile: User.Profile(displayName: "Amara"), password: Sensitive(Self.password),
            tenant: tenant)
        try await administration.assign(.cloudDeviceAdministrator, to: amara)
        app = try await administration.addClient(
            NewClient(displayName: "Ward", redirectURIs: [Self.redirect]), tenant: tenant)
        curveApp = try await administration.addClient(
            NewClient(displayName: "Ward", redirectURIs: [Self.redirect], tokenAlgorithm: .es256), tenant: tenant)
    }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }

    /// Posts a form and returns the members of the reply, which must be a success.
    func token(_ form: KeyValuePairs<String, String>) async throws -> Members {
        let reply = try await client.post("/\(tenant.id)/oauth2/v2.0/token", form: form)
        guard reply.status == .ok else { throw BenchProblem(reply.text) }
        return try Members(decoding: reply.body)
    }

    /// Signs in through the page and redeems the code.
    func signIn(client id: String, scope: String) async throws -> Members {
        let code = try await code(client: id, scope: scope)
        return try await token([
            "grant_type": "authorization_code", "client_id": id, "code": code, "redirect_uri": Self.redirect,
            "code_verifier": Self.verifier,
        ])
    }

    private func code(client id: String, scope: String) async throws -> String {
        let page = try await page(client: id, scope: scope)
        let answer = try await page.submit(to: client)
        guard let location = answer.headers[.location], let query = location.split(separator: "?").dropFirst().first,
            let code = try FormParameters(parsing: query.utf8)[ParameterName.code]
        else { throw BenchProblem("no code: \(answer.text)") }
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

    func submit(to client: TestClient<HostResponder>) async throws -> TestResponse {
        try await client.post(
            action,
            form: ["csrf": csrf, "request": request, "username": Bench.userName, "password": Bench.password],
            headers: [.cookie: cookie])
    }
}

struct BenchProblem: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
