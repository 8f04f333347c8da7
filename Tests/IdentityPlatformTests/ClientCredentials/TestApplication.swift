// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import Crypto
import CryptoExtras
import Foundation
import HTTPTypes
import IdentityPlatform
import JSON
import OAuth
import Storage
import TestSupport
import Testing

/// An application that acts for itself, with a registered key and permissions.
struct TestApplication: Sendable {
    var fixture: TestPlatform
    let client: Client
    let key: SigningKey
    /// The id of the registered key.
    let keyID: String

    static let resource = "https://admin.test:8445"
    static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    init(
        _ fixture: TestPlatform, permissions: [String] = ["Device.Read.All"],
        key: SigningKey = .p256(P256.Signing.PrivateKey())
    ) async throws {
        let clients = fixture.administration.clients
        client = try await clients.add(
            NewClient(displayName: "Inventory", redirectURIs: [], isConfidential: true), tenant: fixture.tenant)
        keyID = try await clients.addKey(try Self.pem(key), name: "first", to: client).id
        for permission in permissions { try await clients.grant(permission, to: client) }
        (self.fixture, self.key) = (fixture, key)
    }

    /// Returns the same application as a client of another node.
    func at(_ node: TestPlatform) -> TestApplication {
        var other = self
        other.fixture = node
        return other
    }

    /// Returns the public half of a key as PEM.
    static func pem(_ key: SigningKey) throws -> String {
        let der = try #require(key.verification.publicKeyInfo)
        let lines = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN PUBLIC KEY-----\n\(lines)\n-----END PUBLIC KEY-----\n"
    }

    /// Returns a signed assertion.
    ///
    /// - Parameters:
    ///   - changes: claims that are added or replaced; nil removes a claim.
    ///   - signer: the key that signs instead of the registered one.
    func assertion(_ changes: [String: JSONValue?] = [:], signedBy signer: SigningKey? = nil) throws -> String {
        let now = Int(fixture.clock.now.seconds)
        var claims: [String: JSONValue] = [
            "iss": .string(client.id.rawValue), "sub": .string(client.id.rawValue),
            "aud": .string("https://login.test:8443/\(fixture.tenant.id)/oauth2/v2.0/token"),
            "exp": .integer(now + 600), "nbf": .integer(now), "jti": .string(UUID().uuidString),
        ]
        for (name, value) in changes { claims[name] = value }
        return try TokenSigner(key: signer ?? key, keyID: "any").token(payload: JSONWriter.write(.object(claims)))
    }

    /// Requests a token.
    ///
    /// - Parameter changes: fields that are added or replaced; nil removes a field.
    func ask(_ assertion: String, _ changes: [String: String?] = [:]) async throws -> TestResponse {
        var fields: [String: String?] = [
            "grant_type": "client_credentials", "client_id": client.id.rawValue, "scope": "\(Self.resource)/.default",
            "client_assertion_type": Self.type, "client_assertion": assertion,
        ]
        for (name, value) in changes { fields[name] = value }
        return try await fixture.token(fields)
    }

    /// Requests a token with a new assertion, and returns the token.
    func token() async throws -> String {
        let answer = try await ask(try assertion())
        #expect(answer.status == .ok, "\(answer.text)")
        return try answer.json.string(ReplyName.accessToken)
    }

    /// Verifies a token as the administration does.
    func bearer(_ token: String) async throws -> BearerToken {
        let platform = fixture.platform
        return try await platform.accessTokens.bearer(
            authorization: "Bearer \(token)", for: try #require(platform.resources.administration))
    }

    /// Verifies a token that must be an application's.
    func verified(_ token: String) async throws -> ApplicationToken {
        guard case .application(let application) = try await bearer(token) else {
            throw TestProblem("the token is a person's")
        }
        return application
    }
}

/// An RSA key that signs with the padding PSS.
struct PSSKey: HeldSigningKey {
    let key: _RSA.Signing.PrivateKey

    var verification: VerificationKey { .rsaPSS(key.publicKey) }

    func signature(for input: [UInt8]) throws -> [UInt8] {
        Array(try key.signature(for: input, padding: .PSS).rawRepresentation)
    }
}
