// SPDX-License-Identifier: Apache-2.0
import Crypto
import CryptoExtras
import Foundation
import HTTPTypes
import Hummingbird
import IdentityPlatform
import OAuth
import Redaction
import Storage
import SwiftASN1
import TestSupport
import Testing
import X509

/// A device that calls the platform as the broker does.
struct TestDevice {
    /// The keys, which are generated once for all tests: a device key and a transport key for each of two devices.
    private static let keys = Result {
        try (0..<4).map { _ in Array(try _RSA.Signing.PrivateKey(keySize: .bits2048).derRepresentation) }
    }

    var fixture: TestPlatform
    let deviceKey: _RSA.Signing.PrivateKey
    let transportKey: _RSA.Encryption.PrivateKey
    var certificate: [UInt8] = []

    /// - Parameter number: 0 or 1.
    init(_ fixture: TestPlatform, number: Int = 0) throws {
        let keys = try Self.keys.get()
        self.fixture = fixture
        deviceKey = try _RSA.Signing.PrivateKey(derRepresentation: keys[number * 2])
        transportKey = try _RSA.Encryption.PrivateKey(derRepresentation: keys[number * 2 + 1])
    }

    /// A shared device joined by the Cloud Device Administrator.
    static func joined(_ fixture: TestPlatform, number: Int = 0, isShared: Bool = true) async throws -> TestDevice {
        try await fixture.administration.users.assign(.cloudDeviceAdministrator, to: fixture.bo)
        var testDevice = try TestDevice(fixture, number: number)
        let answer = try await testDevice.join(
            try await fixture.registrationToken("bo@contoso.test"), isShared: isShared)
        #expect(answer.status == .ok, "\(answer.text)")
        testDevice.certificate = try JoinReply(decoding: answer.body).certificate
        return testDevice
    }

    var parsed: Certificate { get throws { try Certificate(derEncoded: certificate) } }

    /// The device id, which is the whole subject of the certificate.
    var id: String { get throws { String(try parsed.subject.description.dropFirst(3)) } }

    func request(isShared: Bool, name: String = "TestDevice 1") throws -> JoinRequest {
        let subject = try DistinguishedName { CommonName(JoinRequest.certificateRequestCommonName) }
        let csr = try CertificateSigningRequest(
            version: .v1, subject: subject, privateKey: Certificate.PrivateKey(deviceKey), attributes: .init(),
            signatureAlgorithm: .sha256WithRSAEncryption)
        var der = DER.Serializer()
        try der.serialize(csr)
        let numbers = try transportKey.publicKey.getKeyPrimitives()
        return JoinRequest(
            certificateRequest: der.serializedBytes,
            transportKey: TransportKey(
                JSONWebKey(numbers: .rsa(modulus: Array(numbers.modulus), exponent: Array(numbers.publicExponent)))),
            targetDomain: "contoso.test", deviceType: "Linux", operatingSystemVersion: "12", displayName: name,
            isShared: isShared)
    }

    func join(_ token: String?, isShared: Bool = true, name: String = "TestDevice 1") async throws -> TestResponse {
        let request = try request(isShared: isShared, name: name)
        return try await join(token, body: String(decoding: try request.encoded(), as: UTF8.self))
    }

    func join(_ token: String?, body: String, version: String = "?api-version=2.0") async throws -> TestResponse {
        try await fixture.client.send(
            .post, EndpointPath.registration + version, host: "drs.test:8443",
            headers: token.map { [.authorization: "Bearer \($0)"] } ?? [:], body: body)
    }

    func nonce() async throws -> String {
        let answer = try await fixture.client.send(
            .post, "/common/oauth2/token", body: PrimaryRefreshToken.nonceForm.encoded)
        return try PrimaryRefreshToken.nonce(decoding: answer.body)
    }

    func send(_ form: FormParameters, tenant: String? = nil) async throws -> TestResponse {
        let path = EndpointPath.token(tenant: tenant ?? fixture.tenant.id.rawValue)
        return try await fixture.client.send(.post, path, body: form.encoded)
    }

    /// Requests a PRT. Parameters that a test does not set are valid.
    func issue(
        _ refreshToken: String, counter: Int = 1, nonce: String? = nil, scopes: Scopes = PrimaryRefreshToken.scopes,
        key: _RSA.Signing.PrivateKey? = nil, clientID: String = WellKnownApplication.broker
    ) async throws -> TestResponse {
        let fresh = try await self.nonce()
        let request = PrimaryRefreshToken.IssueRequest(
            clientID: clientID, nonce: nonce ?? fresh, scopes: scopes, proof: .refreshToken(Sensitive(refreshToken)),
            epoch: TestDevice.epoch(counter))
        let signed = try request.signed(with: .rsa(key ?? deviceKey), certificate: certificate)
        return try await send(PrimaryRefreshToken.form(request: signed))
    }

    /// Returns the epoch that has this counter.
    static func epoch(_ counter: Int) -> DeviceEpoch? {
        DeviceEpoch(id: String(repeating: "0123456789abcdef", count: 2), counter: counter)
    }

    /// Signs a person in at the broker and gets a PRT.
    func session(_ username: String = "amara@contoso.test", counter: Int = 1) async throws -> TestDeviceSession {
        let refresh = try await fixture.brokerTokens(username).string(ReplyName.refreshToken)
        let answer = try await issue(refresh, counter: counter)
        #expect(answer.status == .ok, "\(answer.text)")
        let reply = try PrimaryRefreshToken.IssueReply(decoding: answer.body)
        return TestDeviceSession(
            testDevice: self, reply: reply, key: try reply.sessionKey(transportKey: transportKey), counter: counter,
            brokerRefreshToken: refresh)
    }
}

/// A worker's session on a test device.
struct TestDeviceSession {
    let testDevice: TestDevice
    let reply: PrimaryRefreshToken.IssueReply
    let key: SessionKey
    let counter: Int
    let brokerRefreshToken: String
    /// The current PRT: from the sign-in's reply or from a renewal.
    let token: Sensitive<String>

    init(
        testDevice: TestDevice, reply: PrimaryRefreshToken.IssueReply, key: SessionKey, counter: Int,
        brokerRefreshToken: String,
        token: Sensitive<String>? = nil
    ) {
        (self.testDevice, self.reply, self.key, self.counter) = (testDevice, reply, key, counter)
        (self.brokerRefreshToken, self.token) = (brokerRefreshToken, token ?? reply.token)
    }

    /// Signs a use request. Parameters that a test does not set are valid.
    func useRequest(
        nonce: String? = nil, scopes: [String] = ["openid", "profile", "User.Read"], key: SessionKey? = nil,
        redirectURI: String? = "msauth.test://auth", clientID: String? = nil, claims: String? = nil
    ) async throws -> String {
        var generator = SystemRandomNumberGenerator()
        let fresh = try await testDevice.nonce()
        let request = PrimaryRefreshToken.UseRequest(
            token: token, clientID: clientID ?? testDevice.fixture.app.id.rawValue, redirectURI: redirectURI,
            scopes: Scopes(scopes), nonce: nonce ?? fresh, claims: claims)
        return try request.signed(
            with: key ?? self.key, now: Int(testDevice.fixture.clock.now.seconds), using: &generator)
    }

    func use(
        scopes: [String] = ["openid", "profile", "User.Read"], claims: String? = nil
    ) async throws -> TestResponse {
        try await testDevice.send(
            PrimaryRefreshToken.form(request: try await useRequest(scopes: scopes, claims: claims)))
    }

    /// Returns the app's tokens, decrypted.
    func tokens(
        scopes: [String] = ["openid", "profile", "User.Read"], claims: String? = nil
    ) async throws -> Members {
        let answer = try await use(scopes: scopes, claims: claims)
        #expect(answer.status == .ok, "\(answer.text)")
        return try Members(decoding: try EncryptedReply.open(answer.text, with: key))
    }

    /// Reports to the server that the session has ended on the device.
    func end(
        by other: TestDevice? = nil, nonce: String? = nil, sessionID: String? = nil, audience: String? = nil,
        deviceID: String? = nil, counter: Int? = nil, endsBrowserSession: Bool = false
    ) async throws -> TestResponse {
        let testDevice = other ?? testDevice
        let fresh = try await testDevice.nonce()
        let request = EndSessionRequest(
            try testDevice.binding(
                EndSessionRequest.self, nonce: nonce ?? fresh, audience: audience, deviceID: deviceID),
            sessionID: try sessionID ?? #require(reply.sessionID),
            epoch: try #require(TestDevice.epoch(counter ?? self.counter)),
            endsBrowserSession: endsBrowserSession)
        return try await testDevice.send(request)
    }

    /// Queries the status of the device and of this session.
    func status(counter: Int? = nil, sessionID: String? = nil) async throws -> SessionStatus {
        try await testDevice.status(counter: counter ?? self.counter, sessionID: sessionID ?? reply.sessionID)
    }
}

extension TestDevice {
    /// Returns the binding of a call by this device. Parameters that a test does not set are valid.
    func binding<Call: DeviceCall>(
        _ call: Call.Type, nonce: String, audience: String? = nil, deviceID: String? = nil
    ) throws -> CallBinding {
        CallBinding(
            audience: audience ?? "https://login.test:8443\(Call.path(tenant: fixture.tenant.id.rawValue))",
            deviceID: try deviceID ?? id, nonce: nonce, issuedAt: Int(fixture.clock.now.seconds))
    }

    /// Signs a call and posts it.
    func send<Call: DeviceCall>(_ call: Call) async throws -> TestResponse {
        let signed = try call.signed(with: .rsa(deviceKey), certificate: certificate)
        return try await fixture.client.send(
            .post, Call.path(tenant: fixture.tenant.id.rawValue), body: Call.form(signed).encoded)
    }

    /// Sends the call that removes the device from the directory.
    func leave() async throws -> TestResponse {
        let fresh = try await nonce()
        return try await send(LeaveRequest(try binding(LeaveRequest.self, nonce: fresh)))
    }

    func ask(
        counter: Int, sessionID: String?, epochID: String = String(repeating: "0123456789abcdef", count: 2),
        audience: String? = nil, deviceID: String? = nil, nonce: String? = nil
    ) async throws -> TestResponse {
        let fresh = try await self.nonce()
        return try await send(
            SessionStatusRequest(
                try binding(SessionStatusRequest.self, nonce: nonce ?? fresh, audience: audience, deviceID: deviceID),
                epoch: try #require(DeviceEpoch(id: epochID, counter: counter)), sessionID: sessionID))
    }

    func status(counter: Int, sessionID: String?) async throws -> SessionStatus {
        let answer = try await ask(counter: counter, sessionID: sessionID)
        #expect(answer.status == .ok, "\(answer.text)")
        return try SessionStatusRequest.status(decoding: answer.body)
    }
}

extension TestPlatform {
    /// Signs a person in at the broker's own client.
    func brokerTokens(
        _ username: String = "amara@contoso.test", scope: String = "openid offline_access", browser: Browser? = nil
    ) async throws -> Members {
        let query = AuthorizeQuery(
            self, ["client_id": WellKnownApplication.broker, "scope": scope])
        let browser = browser ?? Browser(self)
        let code = try await browser.signIn(query, username: username)[ParameterName.code]
        let reply = try await redeem(code, ["client_id": WellKnownApplication.broker])
        #expect(reply.status == .ok, "\(reply.text)")
        return try reply.json
    }

    /// An access token for device registration.
    func registrationToken(_ username: String) async throws -> String {
        try await brokerTokens(username, scope: "openid urn:ms-drs:drs.test/.default").string(ReplyName.accessToken)
    }
}

extension TestResponse {
    /// The stable code of a refusal.
    var suberror: String? { (try? json.optionalString(ReplyName.suberror)) ?? nil }
    var registrationCode: String? { (try? json.string(RegistrationName.code)) ?? nil }
}
