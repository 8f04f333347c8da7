// SPDX-License-Identifier: Apache-2.0
internal import CryptoExtras
internal import FoundationEssentials
package import OAuth
internal import Storage

/// An organisation's signing key, ready for use: nothing is parsed when a token is signed.
package struct TenantKey: Sendable {
    package let id: String
    package let signer: TokenSigner
    package let verification: VerificationKey
    package let published: JSONWebKey

    private init(_ key: _RSA.Signing.PrivateKey) throws {
        let signing = SigningKey.rsa(key)
        id = try JSONWebKey(signing.verification).thumbprint
        signer = TokenSigner(key: signing, keyID: id)
        verification = signing.verification
        published = try JSONWebKey(signing.verification, keyID: id)
    }

    /// Makes a fresh RSA-2048 key, and its private half for the database. Blocks for about 0.1 s.
    static func generate() throws -> (key: TenantKey, stored: [UInt8]) {
        let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        return (try TenantKey(key), Array(key.derRepresentation))
    }

    init(stored: [UInt8]) throws { try self.init(_RSA.Signing.PrivateKey(derRepresentation: stored)) }
}
