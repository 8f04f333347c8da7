// SPDX-License-Identifier: Apache-2.0
import CryptoExtras
import HTTPTypes
import Hummingbird
import IdentityPlatform
import OAuth
import Redaction
import SwiftASN1
import TestSupport
import X509

extension Bench {
    /// Measures refresh grants. Each client has its own chain of tokens.
    func refreshGrants(_ load: Load, scope: String, of app: Client) async throws -> Measured {
        let id = app.id.rawValue
        return try await load.run { _ in
            try await signIn(client: id, scope: scope).string(ReplyName.refreshToken)
        } _: { token in
            try await self.token([
                "grant_type": "refresh_token", "client_id": id, "refresh_token": token, "scope": scope,
            ]).string(ReplyName.refreshToken)
        }
    }

    /// Measures app tokens for a primary refresh token. Each client has its own device. Making the request is included.
    func primaryGrants(_ load: Load, scopes: [String], of app: Client) async throws -> Measured {
        let registration = try await signIn(
            client: WellKnownApplication.broker, scope: "openid urn:ms-drs:drs.test/.default"
        ).string(ReplyName.accessToken)
        return try await load.run { number in
            let device = try await BenchDevice(joining: self, with: registration, number: number)
            return try await device.session()
        } _: { session in
            try await session.use(scopes, by: app)
            return session
        }
    }
}

/// A device that is joined to the bench's organisation.
private struct BenchDevice: Sendable {
    let bench: Bench
    let key: _RSA.Signing.PrivateKey
    let transport: [UInt8]
    let certificate: [UInt8]

    init(joining bench: Bench, with token: String, number: Int) async throws {
        self.bench = bench
        key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let transport = try _RSA.Encryption.PrivateKey(keySize: .bits2048)
        self.transport = Array(transport.derRepresentation)
        let request = try CertificateSigningRequest(
            version: .v1, subject: try DistinguishedName { CommonName(JoinRequest.certificateRequestCommonName) },
            privateKey: Certificate.PrivateKey(key), attributes: .init(),
            signatureAlgorithm: .sha256WithRSAEncryption)
        var der = DER.Serializer()
        try der.serialize(request)
        let numbers = try transport.publicKey.getKeyPrimitives()
        let join = JoinRequest(
            certificateRequest: der.serializedBytes,
            transportKey: TransportKey(
                JSONWebKey(numbers: .rsa(modulus: Array(numbers.modulus), exponent: Array(numbers.publicExponent)))),
            targetDomain: "contoso.test", deviceType: "Linux", operatingSystemVersion: "12",
            displayName: "TestDevice \(number)", isShared: true)
        let answer = try await bench.client.send(
            .post, EndpointPath.registration + "?api-version=2.0", host: "drs.test:8443",
            headers: [.authorization: "Bearer \(token)"], body: String(decoding: try join.encoded(), as: UTF8.self))
        guard answer.status == .ok else { throw BenchProblem(answer.text) }
        certificate = try JoinReply(decoding: answer.body).certificate
    }

    func session() async throws -> BenchSession {
        let broker = try await bench.signIn(client: WellKnownApplication.broker, scope: "openid offline_access")
        let request = PrimaryRefreshToken.IssueRequest(
            clientID: WellKnownApplication.broker, nonce: try await nonce(), scopes: PrimaryRefreshToken.scopes,
            proof: .refreshToken(Sensitive(try broker.string(ReplyName.refreshToken))),
            epoch: DeviceEpoch(id: String(repeating: "0123456789abcdef", count: 2), counter: 1))
        let signed = try request.signed(with: .rsa(key), certificate: certificate)
        let answer = try await send(PrimaryRefreshToken.form(request: signed))
        let reply = try PrimaryRefreshToken.IssueReply(decoding: answer.body)
        let sessionKey = try reply.sessionKey(
            transportKey: try _RSA.Encryption.PrivateKey(derRepresentation: transport))
        return BenchSession(device: self, reply: reply, key: sessionKey, nonce: try await nonce())
    }

    func nonce() async throws -> String {
        let answer = try await bench.client.send(
            .post, "/common/oauth2/token", body: PrimaryRefreshToken.nonceForm.encoded)
        return try PrimaryRefreshToken.nonce(decoding: answer.body)
    }

    func send(_ form: FormParameters) async throws -> TestResponse {
        let answer = try await bench.client.send(
            .post, EndpointPath.token(tenant: bench.tenant.id.rawValue), body: form.encoded)
        guard answer.status == .ok else { throw BenchProblem(answer.text) }
        return answer
    }
}

/// A worker's session on a device of the bench.
private struct BenchSession: Sendable {
    let device: BenchDevice
    let reply: PrimaryRefreshToken.IssueReply
    let key: SessionKey
    let nonce: String

    func use(_ scopes: [String], by app: Client) async throws {
        var generator = SystemRandomNumberGenerator()
        let request = PrimaryRefreshToken.UseRequest(
            token: reply.token, clientID: app.id.rawValue, redirectURI: Bench.redirect,
            scopes: Scopes(scopes), nonce: nonce)
        let signed = try request.signed(
            with: key, now: Int(device.bench.platform.environment.now().seconds), using: &generator)
        let answer = try await device.send(PrimaryRefreshToken.form(request: signed))
        let tokens = try Members(decoding: try EncryptedReply.open(answer.text, with: key))
        _ = try tokens.string(ReplyName.accessToken)
    }
}
