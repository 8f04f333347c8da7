// SPDX-License-Identifier: Apache-2.0
import Crypto
import CryptoExtras
import Foundation
import HTTPTypes
import Hummingbird
import IdentityPlatform
import OAuth
import Storage
import SwiftASN1
import TestSupport
import Testing
import X509

/// Tests the parts of device registration that the join of Baton's own devices does not use.
@Suite struct DeviceRegistrationTests {
    private func devices(_ fixture: TestPlatform) async throws -> [Device] {
        try await fixture.platform.database.read { try Devices($0).all(tenant: fixture.tenant.id) }
    }

    // MARK: - Version 3.0

    @Test func `a device with P-256 keys can join only with version 3`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try TestDevice(fixture)
        let token = try await fixture.registrationToken("amara@contoso.test")
        let (device, transport) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
        let body = try CurveJoin(device: device, transport: transport).body
        #expect(try await testDevice.join(token, body: body).registrationCode == "bad_request")
        let answer = try await testDevice.join(token, body: body, version: "?api-version=3.0")
        #expect(answer.status == .ok, "\(answer.text)")
        let certificate = try Certificate(derEncoded: try JoinReply(decoding: answer.body).certificate)
        #expect(certificate.publicKey == Certificate.PublicKey(device.publicKey))
        let known = try #require(try await devices(fixture).first)
        #expect(certificate.subject.description == "CN=\(known.id)")
        #expect(known.operatingSystem == "MacOS")

        let wrongKind = try CurveJoin(device: device, transport: transport, keyType: "RSA").body
        #expect(
            try await testDevice.join(token, body: wrongKind, version: "?api-version=3.0").registrationCode
                == "bad_request")
        let rsa = String(decoding: try testDevice.request(isShared: false).encoded(), as: UTF8.self)
        #expect(
            try await testDevice.join(token, body: rsa, version: "?api-version=3.0").registrationCode == "bad_request")
        #expect(try await devices(fixture).count == 1)
    }

    // MARK: - The nonce of a certificate request

    @Test func `a certificate request's nonce must be the server's, fresh and unused`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try TestDevice(fixture)
        let token = try await fixture.registrationToken("amara@contoso.test")
        let plain = try testDevice.request(isShared: false)
        let good = String(decoding: try plain.encoded(), as: UTF8.self)
        func body(_ nonce: String, wrapped: Bool = false) throws -> String {
            let request = ForeignRequest(Certificate.PrivateKey(testDevice.deviceKey), .sha256WithRSAEncryption)
            return good.replacing(
                Base64.encode(plain.certificateRequest), with: try request.with(nonce: nonce, wrapped: wrapped))
        }
        func fresh() async throws -> String {
            let path = EndpointPath.registrationNonce(tenant: "contoso.test") + "?api-version=1.0"
            return try await fixture.client.get(path, host: "drs.test:8443").json.string(RegistrationName.value)
        }
        for wrapped in [false, true] {
            #expect(try await testDevice.join(token, body: try body(try await fresh(), wrapped: wrapped)).status == .ok)
        }
        #expect(try await testDevice.join(token, body: try body("made up")).registrationCode == "bad_request")
        let twice = try body(try await fresh())
        #expect(try await testDevice.join(token, body: twice).status == .ok)
        #expect(try await testDevice.join(token, body: twice).registrationCode == "bad_request")
        let old = try await fresh()
        fixture.clock.advance(by: .seconds(300))
        let later = try await fixture.registrationToken("amara@contoso.test")
        #expect(try await testDevice.join(later, body: try body(old)).registrationCode == "bad_request")
    }

    // MARK: - Rules of the organisation

    @Test func `the organisation decides who may join and register their own devices, and how many`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try TestDevice(fixture)
        let token = try await fixture.registrationToken("amara@contoso.test")
        let join = String(decoding: try testDevice.request(isShared: false).encoded(), as: UTF8.self)
        let register = join.replacing(#""JoinType":0"#, with: #""JoinType":4"#)
        func outcomes(_ rules: DeviceRegistrationRules) async throws -> [String] {
            try await fixture.administration.tenants.setDeviceRegistrationRules(rules, tenant: fixture.tenant)
            var outcomes: [String] = []
            for body in [join, register] {
                let answer = try await testDevice.join(token, body: body)
                outcomes.append(answer.registrationCode ?? "\(answer.status.code)")
            }
            return outcomes
        }
        let refused = "authorization_failed"
        #expect(try await outcomes(.init(join: .nobody)) == [refused, "200"])
        #expect(try await outcomes(.init(register: .nobody)) == ["200", refused])
        #expect(try await outcomes(.init(join: .selected([fixture.bo.id]), register: .nobody)) == [refused, refused])
        #expect(try await outcomes(.init(join: .selected([fixture.amara.id]), register: .nobody)) == ["200", refused])
        #expect(try await outcomes(.init(quota: 4)) == ["200", refused])
        #expect(try await devices(fixture).filter { $0.trustType == .registered }.count == 1)
        #expect(try await devices(fixture).filter { $0.trustType == .joined }.count == 3)
        // The rules apply to people's own devices, not to a shared device that an administrator joins.
        try await fixture.administration.tenants.setDeviceRegistrationRules(
            .init(join: .nobody), tenant: fixture.tenant)
        #expect(try await TestDevice.joined(fixture).parsed.subject.isEmpty == false)
    }

    // MARK: - Leaving

    private func leave(_ fixture: TestPlatform, _ id: String, certificate: [UInt8]?) async throws -> TestResponse {
        let path = EndpointPath.registration + id + "?api-version=2.0"
        return try await fixture.client(showing: certificate).send(.delete, path, host: "drs.test:8443")
    }

    @Test func `a device removes itself only with its own certificate`() async throws {
        let fixture = try await TestPlatform()
        let session = try await TestDevice.joined(fixture).session()
        let other = try await TestDevice.joined(fixture, number: 1)
        let id = try session.testDevice.id
        for certificate in [nil, [], [0x30, 0], other.certificate] as [[UInt8]?] {
            let answer = try await leave(fixture, id, certificate: certificate)
            #expect(answer.status == .unauthorized)
            #expect(answer.registrationCode == "client_certificate_required")
        }
        #expect(try await session.use().status == .ok)
        #expect(try await leave(fixture, id.uppercased(), certificate: session.testDevice.certificate).status == .ok)
        #expect(try await devices(fixture).map(\.id.rawValue) == [try other.id])
        #expect(try await session.use().errorNumber == 70000)
        #expect(try await session.testDevice.issue(session.brokerRefreshToken, counter: 2).errorNumber == 50155)
        #expect(try await leave(fixture, id, certificate: session.testDevice.certificate).status == .unauthorized)
        let lines = try await fixture.platform.database.read { try AuditLog($0).latest(5, tenant: fixture.tenant.id) }
        #expect(lines.contains { $0.action == "device.remove" && $0.actor == id && $0.subject == id })
    }

    @Test func `a disabled device stays visible to administrators`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        let id = try #require(DeviceID(rawValue: try testDevice.id))
        try await fixture.administration.devices.setEnabled(false, id, tenant: fixture.tenant)
        #expect(try await leave(fixture, id.rawValue, certificate: testDevice.certificate).status == .forbidden)
        #expect(try await devices(fixture).count == 1)
    }

    @Test func `a certificate with the same names from another authority is refused`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        let genuine = try testDevice.parsed
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let forged = try Certificate(
            version: .v3, serialNumber: genuine.serialNumber, publicKey: key.publicKey,
            notValidBefore: genuine.notValidBefore, notValidAfter: genuine.notValidAfter, issuer: genuine.issuer,
            subject: genuine.subject, signatureAlgorithm: .ecdsaWithSHA256, extensions: genuine.extensions,
            issuerPrivateKey: key)
        var der = DER.Serializer()
        try der.serialize(forged)
        #expect(try await leave(fixture, try testDevice.id, certificate: der.serializedBytes).status == .unauthorized)
        #expect(try await devices(fixture).count == 1)
    }

    // MARK: - Versions

    @Test func `an unknown API version is refused`() async throws {
        let fixture = try await TestPlatform()
        let token = try await fixture.registrationToken("amara@contoso.test")
        for (method, path) in [
            (HTTPRequest.Method.get, EndpointPath.registrationDiscovery(tenant: "contoso.test") + "?api-version=7"),
            (.get, EndpointPath.registrationNonce(tenant: "contoso.test") + "?api-version=7"),
            (.post, EndpointPath.registration + "?api-version=7"), (.post, EndpointPath.helloKey + "?api-version=7"),
            (.post, EndpointPath.helloKey), (.delete, EndpointPath.registration + "x?api-version=7"),
        ] {
            let answer = try await fixture.client(showing: nil).send(
                method, path, host: "drs.test:8443", headers: [.authorization: "Bearer \(token)"])
            #expect(answer.registrationCode == "unsupported_api_version", "\(path)")
        }
    }
}

/// A PKCS#10 request as other clients create it.
struct ForeignRequest {
    private let key: Certificate.PrivateKey
    private let algorithm: Certificate.SignatureAlgorithm

    init(_ key: Certificate.PrivateKey, _ algorithm: Certificate.SignatureAlgorithm) {
        (self.key, self.algorithm) = (key, algorithm)
    }

    /// The DER in Base64.
    var encoded: String { get throws { try encoded(.init()) } }

    func with(nonce: String, wrapped: Bool) throws -> String {
        var value = DER.Serializer()
        if wrapped { try value.serialize(ASN1OctetString(contentBytes: ArraySlice(nonce.utf8))) }
        let bytes = wrapped ? value.serializedBytes : Array(nonce.utf8)
        let request = ExtensionRequest(
            extensions: try Certificate.Extensions([
                Certificate.Extension(oid: [1, 2, 840, 113556, 1, 5, 284, 2, 1], critical: false, value: bytes[...])
            ]))
        return try encoded(try .init([.init(request)]))
    }

    private func encoded(_ attributes: CertificateSigningRequest.Attributes) throws -> String {
        let subject = try DistinguishedName { CommonName(JoinRequest.certificateRequestCommonName) }
        let request = try CertificateSigningRequest(
            version: .v1, subject: subject, privateKey: key, attributes: attributes, signatureAlgorithm: algorithm)
        var der = DER.Serializer()
        try der.serialize(request)
        return Base64.encode(der.serializedBytes)
    }
}
