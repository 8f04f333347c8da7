// SPDX-License-Identifier: Apache-2.0
import Crypto
import CryptoExtras
import Foundation
import OAuth
import Redaction
import Testing

@Suite struct PrimaryRefreshTokenTests {
    /// An RSA key. It is generated once for all tests, because generating a key takes longer than the tests themselves.
    private static let key = Result { Array(try _RSA.Encryption.PrivateKey(keySize: .bits2048).derRepresentation) }
    private let transport: _RSA.Encryption.PrivateKey

    init() throws { transport = try _RSA.Encryption.PrivateKey(derRepresentation: Self.key.get()) }

    private let epoch = DeviceEpoch(id: String(repeating: "ab", count: 16), counter: 7)
    private let device = SigningKey.p256(P256.Signing.PrivateKey())

    private func sessionKey() -> SessionKey {
        var generator = SystemRandomNumberGenerator()
        return .random(using: &generator)
    }

    @Test func `only the transport key decrypts the session key`() throws {
        let key = sessionKey()
        let envelope = try SessionKeyEnvelope.seal(key, to: transport.publicKey)
        #expect(envelope.hasPrefix("eyJlbmMiOiJBMjU2R0NNIiwiYWxnIjoiUlNBLU9BRVAifQ."))
        #expect(try SessionKeyEnvelope.open(envelope, with: transport).secret == key.secret)
        let other = try _RSA.Encryption.PrivateKey(keySize: .bits2048)
        #expect(throws: JOSEFailure.wrongSignature) { try SessionKeyEnvelope.open(envelope, with: other) }
        let foreign = envelope.replacing("eyJlbmMiOiJBMjU2R0NNIiwiYWxnIjoiUlNBLU9BRVAifQ", with: "e30")
        #expect(throws: JOSEFailure.unsupported) { try SessionKeyEnvelope.open(foreign, with: transport) }
    }

    @Test func `an issue request is decoded as it was encoded`() throws {
        let request = PrimaryRefreshToken.IssueRequest(
            nonce: "n", proof: .refreshToken(Sensitive("rt")), epoch: epoch)
        let text = try request.signed(with: device, certificate: [1, 2, 3])
        let received = try DeviceSignedRequest.Unverified(try CompactJWS(text))
        #expect(received.certificate == [1, 2, 3])
        #expect(received.announcesVersionTwo)
        let read = try PrimaryRefreshToken.IssueRequest(try received.verified(with: device.verification))
        #expect(read.clientID == WellKnownApplication.broker)
        #expect(read.nonce == "n")
        #expect(read.scopes.contains(Scopes.primaryRefreshToken))
        #expect(read.epoch == epoch)
        guard case .refreshToken(let token) = read.proof else { throw JOSEFailure.malformed }
        #expect(token.exposed == "rt")
        let other = VerificationKey.p256(P256.Signing.PrivateKey().publicKey)
        #expect(throws: JOSEFailure.wrongSignature) { try received.verified(with: other) }
    }

    @Test func `a use request is decoded as it was encoded, and only with its session key`() throws {
        var generator = SystemRandomNumberGenerator()
        let key = sessionKey()
        let request = PrimaryRefreshToken.UseRequest(
            token: Sensitive("p.rt"), clientID: "app", redirectURI: "msauth.x://auth", scopes: Scopes(["User.Read"]),
            nonce: "n")
        let text = try request.signed(with: key, now: 1_000, using: &generator)
        let received = try SessionSignedRequest.Unverified(try CompactJWS(text))
        #expect(received.primaryRefreshToken.exposed == "p.rt")
        #expect(received.keyDerivationVersion == .two)
        let read = try PrimaryRefreshToken.UseRequest(try received.verified(with: key))
        #expect(read.clientID == "app")
        #expect(read.redirectURI == "msauth.x://auth")
        #expect(read.scopes.text == "User.Read")
        #expect(read.nonce == "n")
        #expect(throws: JOSEFailure.wrongSignature) { try received.verified(with: sessionKey()) }
        #expect(try request.signed(with: key, now: 1_000, using: &generator) != text)
    }

    @Test func `a payload that was replaced under the same context is not accepted`() throws {
        var generator = SystemRandomNumberGenerator()
        let key = sessionKey()
        for version in [KeyDerivationVersion.one, .two] {
            let text = try SessionSignedRequest.sign(
                payload: Array(#"{"refresh_token":"a"}"#.utf8), with: key, version: version, using: &generator)
            var segments = text.split(separator: ".").map(String.init)
            segments[1] = Base64URL.encode(Array(#"{"refresh_token":"b"}"#.utf8))
            let received = try SessionSignedRequest.Unverified(try CompactJWS(segments.joined(separator: ".")))
            #expect(throws: JOSEFailure.wrongSignature) { try received.verified(with: key) }
        }
    }

    @Test func `an end of session is decoded as it was encoded`() throws {
        let binding = CallBinding(audience: "https://login/x", deviceID: "d", nonce: "n", issuedAt: 5)
        let request = EndSessionRequest(
            binding, sessionID: "s", epoch: try #require(epoch), endsBrowserSession: true)
        let text = try request.signed(with: device, certificate: [9])
        let received = try DeviceSignedRequest.Unverified(try CompactJWS(text))
        let read = try EndSessionRequest(try received.verified(with: device.verification))
        #expect(read.binding == binding)
        #expect(read.sessionID == "s")
        #expect(read.epoch == epoch)
        #expect(read.endsBrowserSession)
    }

    @Test func `an issue reply contains token, account and session key`() throws {
        let key = sessionKey()
        var identity = MembersWriter()
        identity.set(ClaimName.name, "Amara")
        identity.set(ClaimName.sessionID, "sid-1")
        var body = MembersWriter()
        body.set(ReplyName.refreshToken, "1.prt")
        body.set(ReplyName.refreshTokenExpiresIn, 1_209_599)
        body.set(ReplyName.sessionKey, try SessionKeyEnvelope.seal(key, to: transport.publicKey))
        body.set(ReplyName.clientInfo, ClientInfo(userID: "u", tenantID: "t").encoded)
        body.set(ReplyName.idToken, UnsecuredToken.serialise(payload: identity.bytes))
        let reply = try PrimaryRefreshToken.IssueReply(decoding: body.bytes)
        #expect(reply.token.exposed == "1.prt")
        #expect(reply.sessionID == "sid-1")
        #expect(try reply.identity.string(ClaimName.name) == "Amara")
        #expect(try reply.sessionKey(transportKey: transport).secret == key.secret)
    }

    @Test(arguments: [
        ("AB" + String(repeating: "ab", count: 15), 1), (String(repeating: "a", count: 31), 1),
        (String(repeating: "ab", count: 16), -1),
    ])
    func `an epoch is accepted only in its canonical form`(id: String, counter: Int) {
        #expect(DeviceEpoch(id: id, counter: counter) == nil)
    }
}
