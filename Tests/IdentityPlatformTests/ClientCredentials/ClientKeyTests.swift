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
import SwiftASN1
import TestSupport
import Testing
import X509

/// Tests how administrators register keys and grant permissions.
@Suite struct ClientKeyTests {
    private struct Site {
        let fixture: TestPlatform
        let admin: AdminClient
        let client: Client
        let places: [String: String]

        init(isConfidential: Bool = true) async throws {
            fixture = try await TestPlatform()
            admin = AdminClient(fixture)
            client = try await fixture.administration.clients.add(
                NewClient(displayName: "Inventory", redirectURIs: [], isConfidential: isConfidential),
                tenant: fixture.tenant)
            places = ["client": client.id.rawValue]
        }

        func add(_ pem: String, name: String = "first") async throws -> IdentityAdmin.ClientKey {
            try await admin.call(
                IdentityAdmin.addClientKey, places, body: IdentityAdmin.NewClientKey(name: name, publicKey: pem))
        }

        func refusal(_ pem: String, name: String = "first") async throws -> String {
            try await admin.refusal(
                IdentityAdmin.addClientKey, places, body: IdentityAdmin.NewClientKey(name: name, publicKey: pem))
        }

        func keys() async throws -> [IdentityAdmin.ClientKey] {
            try await admin.call(IdentityAdmin.listClientKeys, places)
        }
    }

    /// Returns a self-signed certificate as PEM.
    private func certificate(_ key: P256.Signing.PrivateKey, from begin: Timestamp, to end: Timestamp) throws -> String
    {
        let name = try DistinguishedName { CommonName("inventory") }
        func date(_ time: Timestamp) -> Date { Date(timeIntervalSince1970: Double(time.seconds)) }
        return try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: Certificate.PublicKey(key.publicKey),
            notValidBefore: date(begin), notValidAfter: date(end), issuer: name, subject: name,
            signatureAlgorithm: .ecdsaWithSHA256, extensions: Certificate.Extensions(),
            issuerPrivateKey: Certificate.PrivateKey(key)
        ).serializeAsPEM().pemString
    }

    @Test func `public keys and certificates are registered, listed by their thumbprints, and removed`() async throws {
        let site = try await Site()
        let now = site.fixture.clock.now
        let (curve, other) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
        let rsa = try RSAKeys(from: 7).next()
        let first = try await site.add(try TestApplication.pem(.p256(curve)))
        #expect(first.id == (try JSONWebKey(.p256(curve.publicKey)).thumbprint))
        #expect(first.kind == "P-256" && first.expiresAt == nil && first.createdAt == now.rawValue)
        site.fixture.clock.advance(by: .seconds(1))
        let second = try await site.add(try TestApplication.pem(.rsa(rsa)), name: "second")
        #expect(second.kind == "RSA" && second.name == "second")
        site.fixture.clock.advance(by: .seconds(1))
        let third = try await site.add(try certificate(other, from: now, to: now + .seconds(86_400)))
        #expect(third.id == (try JSONWebKey(.p256(other.publicKey)).thumbprint))
        #expect(third.expiresAt == (now + .seconds(86_400)).rawValue)
        #expect(try await site.keys() == [third, second, first])
        let place = site.places.merging(["key": second.id]) { $1 }
        #expect(try await site.admin.send(IdentityAdmin.removeClientKey, place).status == .noContent)
        #expect(try await site.admin.refusal(IdentityAdmin.removeClientKey, place) == "identity.client.key.missing")
        #expect(try await site.keys() == [third, first])
    }

    @Test func `the key of a certificate is valid until the certificate expires`() async throws {
        let site = try await Site()
        let (now, key) = (site.fixture.clock.now, P256.Signing.PrivateKey())
        let expired = try certificate(key, from: now - .seconds(100), to: now)
        #expect(try await site.refusal(expired) == "identity.client.key")
        _ = try await site.add(try certificate(key, from: now, to: now + .seconds(1000)))
        try await site.fixture.administration.clients.grant("Device.Read.All", to: site.client)
        func number() async throws -> Int? {
            let time = Int(site.fixture.clock.now.seconds)
            let claims: [String: JSONValue] = [
                "iss": .string(site.client.id.rawValue), "sub": .string(site.client.id.rawValue),
                "aud": .string("https://login.test:8443/\(site.fixture.tenant.id)/v2.0"),
                "exp": .integer(time + 60), "jti": .string(UUID().uuidString),
            ]
            let assertion = try TokenSigner(key: .p256(key), keyID: "x").token(
                payload: JSONWriter.write(.object(claims)))
            return try await site.fixture.token([
                "grant_type": "client_credentials", "scope": "\(TestApplication.resource)/.default",
                "client_assertion_type": TestApplication.type, "client_assertion": assertion,
            ]).errorNumber
        }
        site.fixture.clock.advance(by: .seconds(999))
        #expect(try await number() == nil)
        site.fixture.clock.advance(by: .seconds(1))
        #expect(try await number() == 700027)
    }

    @Test func `what is no usable public key is refused, and a private key with a warning`() async throws {
        let site = try await Site()
        let good = try TestApplication.pem(.p256(P256.Signing.PrivateKey()))
        let small = try _RSA.Signing.PrivateKey(unsafeKeySize: _RSA.Signing.KeySize(bitCount: 1024))
        for bad in [
            "", "x", good.replacing("PUBLIC KEY", with: "CERTIFICATE"), good.replacing("PUBLIC KEY", with: "X"),
            String(good.dropLast(40)), good + good, P384.Signing.PrivateKey().publicKey.pemRepresentation,
            Curve25519.Signing.PrivateKey().publicKey.rawRepresentation.base64EncodedString(),
            small.publicKey.pemRepresentation,
        ] {
            #expect(try await site.refusal(bad) == "identity.client.key", "\(bad)")
        }
        for pem in [P256.Signing.PrivateKey().pemRepresentation, try RSAKeys(from: 7).next().pemRepresentation] {
            let answer = try await site.admin.send(
                IdentityAdmin.addClientKey, site.places, body: IdentityAdmin.NewClientKey(name: "first", publicKey: pem)
            )
            #expect(answer.status == .badRequest && answer.text.contains("Discard it"), "\(answer.text)")
        }
        #expect(try await site.refusal(good, name: "") == "identity.display.name")
        #expect(try await site.keys() == [])
    }

    @Test func `a client has at most five keys, each once, and a public client none`() async throws {
        let site = try await Site()
        let keys = try (0..<6).map { _ in try TestApplication.pem(.p256(P256.Signing.PrivateKey())) }
        let first = try await site.add(keys[0])
        #expect(try await site.refusal(keys[0], name: "again") == "identity.name.taken")
        for key in keys[1..<5] { _ = try await site.add(key) }
        #expect(try await site.refusal(keys[5]) == "identity.client.keys")
        _ = try await site.admin.send(
            IdentityAdmin.removeClientKey, site.places.merging(["key": first.id]) { $1 })
        _ = try await site.add(keys[5])
        let other = try await Site(isConfidential: false)
        #expect(try await other.refusal(keys[0]) == "identity.client.public")
        let place = other.places.merging(["permission": "Device.Read.All"]) { $1 }
        #expect(
            try await other.admin.refusal(IdentityAdmin.grantApplicationPermission, place) == "identity.client.public")
    }

    @Test func `permissions are granted by name, listed and revoked, and repetitions change nothing`() async throws {
        let site = try await Site()
        func change(_ endpoint: Endpoint<Empty, Empty>, _ name: String) async throws {
            let answer = try await site.admin.send(endpoint, site.places.merging(["permission": name]) { $1 })
            #expect(answer.status == .noContent, "\(answer.text)")
        }
        func permissions() async throws -> [String] {
            let all: [IdentityAdmin.ApplicationPermission] = try await site.admin.call(
                IdentityAdmin.listApplicationPermissions, site.places)
            return all.map(\.permission)
        }
        try await change(IdentityAdmin.grantApplicationPermission, "user.readwrite.all")
        try await change(IdentityAdmin.grantApplicationPermission, "Device.Read.All")
        try await change(IdentityAdmin.grantApplicationPermission, "Device.Read.All")
        #expect(try await permissions() == ["Device.Read.All", "User.ReadWrite.All"])
        try await change(IdentityAdmin.revokeApplicationPermission, "DEVICE.READ.ALL")
        try await change(IdentityAdmin.revokeApplicationPermission, "Device.Read.All")
        #expect(try await permissions() == ["User.ReadWrite.All"])
        for name in ["Nothing.Known", "User.Read", "*"] {
            let place = site.places.merging(["permission": name]) { $1 }
            for endpoint in [IdentityAdmin.grantApplicationPermission, IdentityAdmin.revokeApplicationPermission] {
                #expect(try await site.admin.refusal(endpoint, place) == "identity.client.permission", "\(name)")
            }
        }
        let tenant = site.fixture.tenant.id
        let lines = try await site.fixture.platform.database.read { try AuditLog($0).latest(20, tenant: tenant) }
        #expect(
            lines.map(\.action).filter { $0.hasPrefix("client.permission.") } == [
                "client.permission.grant", "client.permission.grant", "client.permission.revoke",
            ])
    }

    @Test func `whoever may add keys may also grant permissions, and nobody else may do either`() {
        for endpoint in [
            IdentityAdmin.addClientKey.operation, IdentityAdmin.grantApplicationPermission.operation,
            IdentityAdmin.removeClientKey.operation, IdentityAdmin.revokeApplicationPermission.operation,
        ] {
            #expect(
                endpoint.access == .roles(.globalAdministrator, permission: "AppRoleAssignment.ReadWrite.All"),
                "\(endpoint.id)")
        }
        #expect(IdentityAdmin.addClientKey.operation.isDangerous)
        #expect(IdentityAdmin.grantApplicationPermission.operation.isDangerous)
    }
}
