// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import Crypto
import DeviceHTTPS
import Foundation
import OAuth
import Processes
import TestSupport
import Testing

/// A real server with both interfaces of administration and one organisation. Tests call it as a script on another machine
/// does: over TLS, with an access token.
final class AdministeredServer: Sendable {
    let server: ServerProcess
    /// The organisation's id.
    let tenant: String
    /// The port of the HTTPS interface.
    let port: Int
    private let client: HTTPSClient

    static let domain = "contoso.test"
    static let password = "correct horse battery"

    /// Starts the server and creates the organisation.
    ///
    /// - Parameter settings: additional keys of the server's configuration file.
    init(_ settings: [String: any Sendable] = [:], in scratch: Scratch) async throws {
        port = Int(try #require(FreePort.tcp(in: FreePort.ofTests)))
        let names = [
            "login": "login.test", "deviceRegistration": "drs.test", "graph": "graph.test", "mdm": "mdm.test",
            "administration": "admin.test",
        ]
        let keys: [String: any Sendable] = [
            "names": names, "administrationPort": port, "compatibility": ["passwordGrant": true],
        ]
        server = try ServerProcess(keys.merging(settings) { $1 }, in: scratch)
        try await server.start()
        tenant = try server.create("tenants", ["displayName": "Contoso", "domain": Self.domain])
        client = try HTTPSClient(
            configuration: HTTPSClient.Configuration(
                trustRootsPEM: Array(try Data(contentsOf: URL(filePath: server.state + "/ca/root.pem"))),
                dnsOverride: ["admin.test": "127.0.0.1"]))
    }

    /// The identifier of the administration as a resource.
    var resource: String { "https://admin.test:\(port)" }

    /// Adds a person with these roles, through the socket.
    ///
    /// - Returns: the person's object id.
    @discardableResult
    func addPerson(_ name: String, roles: String...) throws -> String {
        let id = try server.create(
            "tenants/-/users",
            ["userPrincipalName": "\(name)@\(Self.domain)", "displayName": name, "password": Self.password])
        for role in roles {
            try operate(IdentityAdmin.assignRole.operation, ["role": role, "user": id]).expectSuccess()
        }
        return id
    }

    /// Signs a person in, and returns the access token.
    ///
    /// - Parameter permission: a permission to ask for; by default all of them.
    func token(ofPerson name: String, permission: String = ".default") async throws -> String {
        try await token(form(of: name, permission: permission, password: Self.password))
    }

    /// Makes a sign-in with a wrong password, which the server counts.
    func mistypePassword(ofPerson name: String) async throws {
        let form = form(of: name, permission: ".default", password: "not \(Self.password)")
        #expect(try await server.send("POST", tokenPath, form: form).status == 400)
    }

    private func form(of name: String, permission: String, password: String) -> [String: String] {
        [
            "grant_type": "password", "client_id": AdministrationApp.clientID, "scope": "\(resource)/\(permission)",
            "username": "\(name)@\(Self.domain)", "password": password,
        ]
    }

    /// An application that acts for itself.
    struct Application: Sendable {
        let id: String
        let key: SigningKey
    }

    /// Adds an application with a key and these permissions, through the socket.
    func addApplication(
        _ permissions: [String], key: SigningKey = .p256(P256.Signing.PrivateKey())
    ) throws -> Application {
        let id = try server.create(
            "tenants/-/clients", ["displayName": "Script", "redirectURIs": [String](), "isConfidential": true])
        _ = try server.create("tenants/-/clients/\(id)/keys", ["name": "first", "publicKey": try key.publicPEM()])
        for permission in permissions {
            try operate(
                IdentityAdmin.grantApplicationPermission.operation, ["client": id, "permission": permission]
            ).expectSuccess()
        }
        return Application(id: id, key: key)
    }

    /// Returns a token of an application.
    func token(of application: Application) async throws -> String {
        let assertion = try application.key.assertion(
            client: application.id, audience: "https://login.test:\(server.port)\(tokenPath)",
            at: Int64(Date.now.timeIntervalSince1970))
        return try await token([
            "grant_type": "client_credentials", "client_id": application.id, "scope": "\(resource)/.default",
            "client_assertion_type": SigningKey.assertionType, "client_assertion": assertion,
        ])
    }

    private var tokenPath: String { "/\(tenant)/oauth2/v2.0/token" }

    private func token(_ form: [String: String]) async throws -> String {
        let answer = try await server.send("POST", tokenPath, form: form)
        return try #require(answer.text("access_token"), "\(answer.text)")
    }

    /// Calls an operation through the HTTPS interface.
    func call(
        _ operation: AdminOperation, _ places: [String: String] = [:], query: [(String, String)] = [],
        token: String?, headers: [(name: String, value: String)] = [], body: String? = nil
    ) async throws -> InterfaceAnswer {
        let path = operation.path(places.merging(["tenant": "-"]) { place, _ in place }, query: query)
        return try await send(operation.method.rawValue, path, token: token, headers: headers, body: body)
    }

    /// Sends a request to the HTTPS interface.
    func send(
        _ method: String, _ path: String, token: String?, headers: [(name: String, value: String)] = [],
        body: String? = nil
    ) async throws -> InterfaceAnswer {
        var request = HTTPSClient.Request(method: method, url: "\(resource)\(path)", headers: headers)
        if let token { request.headers.append((name: "authorization", value: "Bearer \(token)")) }
        request.body = body.map { Array($0.utf8) }
        let response = try await client.send(request)
        return InterfaceAnswer(status: response.status, headers: response.headers, body: response.body)
    }

    /// Calls an operation through the socket.
    func operate(
        _ operation: AdminOperation, _ places: [String: String] = [:], query: [(String, String)] = [],
        body: String? = nil
    ) throws -> InterfaceAnswer {
        let path = operation.path(places.merging(["tenant": "-"]) { place, _ in place }, query: query)
        let answer = try server.administer(operation.method.rawValue, path, body ?? "")
        return InterfaceAnswer(status: answer.status, headers: [], body: Array(answer.body.utf8))
    }
}

/// An answer of an interface of administration.
struct InterfaceAnswer: Sendable {
    let status: Int
    let headers: [(name: String, value: String)]
    let body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The code of a refusal; nil for another answer.
    var refusal: String? { failure?.code }

    /// A refusal; nil for another answer.
    var failure: AdminFailure.Reason? { try? JSONDecoder().decode(AdminFailure.self, from: Data(body)).error }

    /// Returns the first header with this name, ignoring case.
    func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    func expectSuccess(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect((200..<300).contains(status), "\(status) \(text)", sourceLocation: sourceLocation)
    }

    /// Decodes an answer that must be a success.
    func decoded<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try #require((200..<300).contains(status), "\(status) \(text)")
        return try JSONDecoder().decode(Value.self, from: Data(body))
    }
}
