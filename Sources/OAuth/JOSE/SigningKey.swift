// SPDX-License-Identifier: Apache-2.0
package import Crypto
package import CryptoExtras
internal import FoundationEssentials

/// A key that signs, stored as the cryptography library's object so that it is not parsed at each signature.
package enum SigningKey: Sendable {
    case rsa(_RSA.Signing.PrivateKey)
    case p256(P256.Signing.PrivateKey)
    case symmetric(SymmetricKey)
    case held(any HeldSigningKey)

    /// The only algorithm that the key is used with.
    package var algorithm: SignatureAlgorithm {
        switch self {
        case .rsa: .rs256
        case .p256: .es256
        case .symmetric: .hs256
        case .held(let key): key.verification.algorithm
        }
    }

    /// The key that verifies the signatures of this key.
    package var verification: VerificationKey {
        switch self {
        case .rsa(let key): .rsa(key.publicKey)
        case .p256(let key): .p256(key.publicKey)
        case .symmetric(let key): .symmetric(key)
        case .held(let key): key.verification
        }
    }

    /// Signs the ASCII of a JWS signing input (RFC 7515 section 5.1).
    ///
    /// - Throws: the error of the cryptography library, or of the key's holder, if the key cannot sign.
    package func signature(for input: [UInt8]) throws -> [UInt8] {
        switch self {
        case .rsa(let key): Array(try key.signature(for: input, padding: .insecurePKCS1v1_5).rawRepresentation)
        case .p256(let key): Array(try key.signature(for: input).rawRepresentation)
        case .symmetric(let key): Array(HMAC<SHA256>.authenticationCode(for: input, using: key))
        case .held(let key): try key.signature(for: input)
        }
    }
}
