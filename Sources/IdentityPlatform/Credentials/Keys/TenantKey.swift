// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import CryptoExtras
internal import FoundationEssentials
package import OAuth
package import Storage

/// An organisation's signing key, already parsed, so that it can sign tokens without delay.
package struct TenantKey: Sendable {
    package let id: String
    package let signer: TokenSigner
    /// A signer that has the same key and also writes the thumbprint of the key's certificate into the header. Clients
    /// of the older (version 1) endpoint need the thumbprint.
    package let olderSigner: TokenSigner
    package let verification: VerificationKey
    package let published: JSONWebKey
    package let created: Timestamp
    /// When the key starts to sign. The key is published before that time.
    package let signs: Timestamp

    package var algorithm: SignatureAlgorithm { verification.algorithm }

    private init(_ signing: SigningKey, created: Timestamp, signs: Timestamp) throws {
        (self.created, self.signs) = (created, signs)
        verification = signing.verification
        id = try JSONWebKey(verification).thumbprint
        signer = TokenSigner(key: signing, keyID: id)
        guard case .rsa(let key) = signing else {
            (olderSigner, published) = (signer, try JSONWebKey(verification, keyID: id))
            return
        }
        let certificate = try SigningCertificate.make(for: key, id: id, created: created)
        olderSigner = TokenSigner(
            key: signing, keyID: id,
            certificateThumbprint: Base64URL.encode(Insecure.SHA1.hash(data: certificate)))
        published = try JSONWebKey(verification, keyID: id, certificate: certificate)
    }

    /// Generates an RSA-2048 or P-256 key. Returns the key, and its private half in the format in which the database
    /// stores it. Blocks for about 0.1 s.
    static func generate(
        _ algorithm: SignatureAlgorithm, created: Timestamp, signs: Timestamp, _ environment: ClockAndRandomness
    ) throws -> (key: TenantKey, stored: [UInt8]) {
        switch algorithm {
        case .es256:
            let key = P256.Signing.PrivateKey()
            return (try TenantKey(.p256(key), created: created, signs: signs), Array(key.derRepresentation))
        case .rs256, .ps256, .hs256:
            let key = try environment.makeRSAKey()
            return (try TenantKey(.rsa(key), created: created, signs: signs), Array(key.derRepresentation))
        }
    }

    init(stored: [UInt8], _ algorithm: SignatureAlgorithm, created: Timestamp, signs: Timestamp) throws {
        switch algorithm {
        case .rs256:
            let key = try _RSA.Signing.PrivateKey(derRepresentation: stored)
            try self.init(.rsa(key), created: created, signs: signs)
        case .es256:
            let key = try P256.Signing.PrivateKey(derRepresentation: stored)
            try self.init(.p256(key), created: created, signs: signs)
        case .ps256, .hs256: throw StorageError(.unexpectedValue, "a signing key has an algorithm that no key gets")
        }
    }
}
