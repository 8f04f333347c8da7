// SPDX-License-Identifier: Apache-2.0
import CryptoExtras
import HTTPTypes
import IdentityPlatform
import OAuth
import Redaction
import Storage
import SwiftASN1
import TestSupport
import X509

/// The keys of the bench's devices. All devices share them, because it takes a long time to make a key; the server
/// finds a device by its certificate.
struct DeviceKeys: Sendable {
    let device: _RSA.Signing.PrivateKey
    /// The key that the server encrypts session keys to. It is the same key as `device`; only its use differs.
    var transport: _RSA.Encryption.PrivateKey {
        get throws { try _RSA.Encryption.PrivateKey(derRepresentation: device.derRepresentation) }
    }

    init() throws { device = try _RSA.Signing.PrivateKey(keySize: .bits2048) }
    init(_ key: _RSA.Signing.PrivateKey) { device = key }
}

/// A shared device that is joined to the bench's organisation.
struct BenchDevice: Sendable {
    private static let epoch = DeviceEpoch(id: String(repeating: "0123456789abcdef", count: 2), counter: 1)

    let bench: Bench
    private let certificate: [UInt8]

    init(joining bench: Bench, with token: String, number: Int) async throws {
        self.bench = bench
        let request = try CertificateSigningRequest(
            version: .v1, subject: try DistinguishedName { CommonName(JoinRequest.certificateRequestCommonName) },
            privateKey: Certificate.PrivateKey(bench.deviceKeys.device), attributes: .init(),
            signatureAlgorithm: .sha256WithRSAEncryption)
        var der = DER.Serializer()
        try der.serialize(request)
        let numbers = try bench.deviceKeys.transport.publicKey.getKeyPrimitives()
        let join = JoinRequest(
            certificateRequest: der.serializedBytes,
            transportKey: TransportKey(
                JSONWebKey(numbers: .rsa(modulus: Array(numbers.modulus), exponent: Array(numbers.publicExponent)))),
            targetDomain: Bench.domain, deviceType: "Linux", operatingSystemVersion: "12",
            displayName: "TestDevice \(number)", isShared: true)
        let answer = try await bench.client.send(
            .post, EndpointPath.registration + "?api-version=2.0", host: "drs.test:8443",
            headers: [.authorization: "Bearer \(token)"], body: String(decoding: try join.encoded(), as: UTF8.self))
        guard answer.status == .ok else { throw BenchProblem(answer.text) }
        certificate = try JoinReply(decoding: answer.body).certificate
    }

    /// The device id, which is the whole subject of the certificate.
    private var id: String {
        get throws { String(try Certificate(derEncoded: certificate).subject.description.dropFirst(3)) }
    }

    /// Signs a worker in.
    func session(of user: String = Bench.amara) async throws -> BenchSession {
        let broker = try await bench.signIn(user, client: WellKnownApplication.broker, scope: "openid offline_access")
        let request = PrimaryRefreshToken.IssueRequest(
            clientID: WellKnownApplication.broker, nonce: bench.platform.nonces.make(),
            scopes: PrimaryRefreshToken.scopes,
            proof: .refreshToken(Sensitive(try broker.string(ReplyName.refreshToken))), epoch: Self.epoch)
        let signed = try request.signed(with: .rsa(bench.deviceKeys.device), certificate: certificate)
        let answer = try await send(PrimaryRefreshToken.form(request: signed))
        let reply = try PrimaryRefreshToken.IssueReply(decoding: answer.body)
        return BenchSession(
            device: self, reply: reply, key: try reply.sessionKey(transportKey: try bench.deviceKeys.transport))
    }

    fileprivate func send(_ form: FormParameters, to path: String? = nil) async throws -> TestResponse {
        let path = path ?? EndpointPath.token(tenant: bench.tenant.id.rawValue)
        let answer = try await bench.client.send(.post, path, body: form.encoded)
        guard answer.status == .ok else { throw BenchProblem(answer.text) }
        return answer
    }

    /// The signed request for the status of the device and of a session.
    fileprivate func statusRequest(_ session: String?) throws -> FormParameters {
        guard let epoch = Self.epoch else { throw BenchProblem("the epoch is malformed") }
        let path = SessionStatusRequest.path(tenant: bench.tenant.id.rawValue)
        let binding = CallBinding(
            audience: "https://login.test:8443\(path)", deviceID: try id, nonce: bench.platform.nonces.make(),
            issuedAt: Int(bench.platform.environment.now().seconds))
        return SessionStatusRequest.form(
            try SessionStatusRequest(binding, epoch: epoch, sessionID: session).signed(
                with: .rsa(bench.deviceKeys.device), certificate: certificate))
    }
}

/// A worker's session on a device of the bench.
struct BenchSession: Sendable {
    private let device: BenchDevice
    private let reply: PrimaryRefreshToken.IssueReply
    private let key: SessionKey

    fileprivate init(device: BenchDevice, reply: PrimaryRefreshToken.IssueReply, key: SessionKey) {
        (self.device, self.reply, self.key) = (device, reply, key)
    }

    /// The signed request for an app's tokens.
    func useRequest(_ scopes: [String], by app: Client) throws -> FormParameters {
        var generator = SystemRandomNumberGenerator()
        let platform = device.bench.platform
        let request = PrimaryRefreshToken.UseRequest(
            token: reply.token, clientID: app.id.rawValue, redirectURI: Bench.redirect, scopes: Scopes(scopes),
            nonce: platform.nonces.make())
        let signed = try request.signed(
            with: key, now: Int(platform.environment.now().seconds), using: &generator)
        return PrimaryRefreshToken.form(request: signed)
    }

    /// Exchanges the primary refresh token; returns the app's tokens.
    @discardableResult
    func redeem(_ request: FormParameters) async throws -> Members {
        let answer = try await device.send(request)
        let tokens = try Members(decoding: try EncryptedReply.open(answer.text, with: key))
        _ = try tokens.string(ReplyName.accessToken)
        return tokens
    }

    func statusRequest() throws -> FormParameters { try device.statusRequest(reply.sessionID) }

    /// Asks whether the session is live.
    func askStatus(_ request: FormParameters) async throws {
        let path = SessionStatusRequest.path(tenant: device.bench.tenant.id.rawValue)
        let answer = try await device.send(request, to: path)
        guard try SessionStatusRequest.status(decoding: answer.body) == .live else {
            throw BenchProblem("the session has ended")
        }
    }
}
