// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Crypto
import JSON
import OAuth
import Redaction

extension Decoder {
    private static let session = SessionKey(SecretBytes(copying: [UInt8](repeating: 7, count: SessionKey.length)))
    private static let device = SigningKey.p256(P256.Signing.PrivateKey()).verification

    /// Tokens as received, and tokens composed of segments that zero bytes separate.
    func feedTokens(_ bytes: [UInt8]) {
        let segments = bytes.split(separator: 0, omittingEmptySubsequences: false).map { Base64URL.encode($0) }
        for text in [String(decoding: bytes, as: UTF8.self), segments.joined(separator: ".")] {
            if let object = EncodedObject(payloadOf: text) {
                let payload = text.split(separator: ".", omittingEmptySubsequences: false)[1]
                check(EncodedObject(String(payload)) == object, "a token has another payload than its second part")
            }
            if let token = try? CompactJWS(text) {
                _ = try? token.certificates()
                _ = try? token.claims()
                if let request = try? DeviceSignedRequest.Unverified(token) {
                    check((try? request.verified(with: Self.device)) == nil, "a signature made up is believed")
                }
                if let word = try? WindowsHelloAssertion.Unverified(text) {
                    check((try? word.verified(with: Self.device)) == nil, "a word made up is believed")
                }
                if let session = Self.session, let request = try? SessionSignedRequest.Unverified(token) {
                    _ = try? request.verified(with: session)
                }
            }
            guard let session = Self.session else { continue }
            _ = try? EncryptedReply.open(text, with: session)
            _ = try? EncryptedReply.openWithoutAuthentication(text, with: session)
        }
    }

    /// Bodies in JSON: device registration, keys, claims, replies.
    func feedRegistration(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        for version in [RegistrationVersion.two, .three] { _ = try? JoinRequest(decoding: bytes, version: version) }
        _ = try? JoinReply(decoding: bytes)
        _ = try? TransportKey(decoding: text)
        _ = try? TransportKey(decoding: Base64.encode(bytes))
        _ = try? RSAPublicKeyBlob.decode(bytes)
        _ = try? JSONWebKeySet(decoding: bytes)
        _ = try? PrimaryRefreshToken.IssueReply(decoding: bytes)
        _ = try? PrimaryRefreshToken.nonce(decoding: bytes)
        _ = try? PrimaryRefreshToken.RenewalReply(decoding: bytes)
        _ = try? OfflineAnswer(decoding: bytes)
        _ = try? SessionStatusRequest.status(decoding: bytes)
        _ = try? TransportKey(curve: text)
        guard let members = try? Members(decoding: bytes) else { return }
        _ = try? PrimaryRefreshToken.IssueRequest(members)
        _ = try? PrimaryRefreshToken.UseRequest(members)
        _ = try? EndSessionRequest(members)
        _ = try? SessionStatusRequest(members)
        _ = try? OfflineQuestion(members)
        _ = try? DeviceTokenGrantRequest(members)
        _ = try? BrowserCredential(members)
        _ = try? DeviceEpoch.read(members)
        _ = OAuthError(members)
        _ = RegistrationError(members)
    }

    /// PKCS#10 requests. If the signature is valid, the key survives writing and reading again.
    func feedCertificateRequests(_ bytes: [UInt8]) {
        guard let request = try? DeviceKeyRequest(decoding: bytes), let info = request.key.publicKeyInfo else { return }
        check((try? VerificationKey(publicKeyInfo: info)) != nil, "a certified key cannot be kept")
    }

    /// Base64 in its variants, web forms, scopes.
    func feedEncodings(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        _ = try? Base64.decodeLeniently(text)
        if let decoded = try? Base64.decode(text) { check(Base64.encode(decoded) == text, "Base64 has two forms") }
        if let decoded = try? Base64URL.decode(text) {
            check(Base64URL.encode(decoded) == text, "Base64url has two forms")
        }
        for text in [text, Base64URL.encode(bytes)] where EncodedObject(text) != nil {
            check((try? Base64URL.decode(text)) != nil, "an object is read from what is not base64url")
        }
        check((try? Base64URL.decode(Base64URL.encode(bytes))) == bytes, "Base64url loses bytes")
        _ = try? FormParameters(parsing: bytes)
        _ = Scopes(parsing: text)
        _ = try? ClientInfo(decoding: text)
        _ = try? ClientInfo(decoding: Base64URL.encode(bytes))
    }
}
