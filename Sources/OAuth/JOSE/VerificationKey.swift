// SPDX-License-Identifier: Apache-2.0
package import Crypto
package import CryptoExtras
internal import FoundationEssentials

/// A key that verifies, stored as the cryptography library's object. The key determines the algorithm; a token's header
/// must match it.
package enum VerificationKey: Sendable {
    /// An RSA key for signatures with the padding of PKCS #1 version 1.5.
    case rsa(_RSA.Signing.PublicKey)
    /// An RSA key for signatures with the padding PSS. A stored key is never read as this case.
    case rsaPSS(_RSA.Signing.PublicKey)
    case p256(P256.Signing.PublicKey)
    case symmetric(SymmetricKey)

    /// Reads a stored public key (SubjectPublicKeyInfo, DER).
    ///
    /// - Throws: ``JOSEFailure`` `unusableKey`.
    package init(publicKeyInfo der: [UInt8]) throws(JOSEFailure) {
        if let key = try? _RSA.Signing.PublicKey(derRepresentation: der) {
            self = .rsa(key)
        } else if let key = try? P256.Signing.PublicKey(derRepresentation: der) {
            self = .p256(key)
        } else {
            throw .unusableKey
        }
    }

    /// The SubjectPublicKeyInfo in DER; nil for a symmetric key, which is never exported.
    package var publicKeyInfo: [UInt8]? {
        switch self {
        case .rsa(let key), .rsaPSS(let key): Array(key.derRepresentation)
        case .p256(let key): Array(key.derRepresentation)
        case .symmetric: nil
        }
    }

    /// The only algorithm that the key is used with.
    package var algorithm: SignatureAlgorithm {
        switch self {
        case .rsa: .rs256
        case .rsaPSS: .ps256
        case .p256: .es256
        case .symmetric: .hs256
        }
    }

    /// Whether `signature` is valid for `input`; MACs are compared in constant time.
    package func isValid(_ signature: [UInt8], for input: [UInt8]) -> Bool {
        switch self {
        case .rsa(let key):
            return key.isValidSignature(.init(rawRepresentation: signature), for: input, padding: .insecurePKCS1v1_5)
        case .rsaPSS(let key):
            return key.isValidSignature(.init(rawRepresentation: signature), for: input, padding: .PSS)
        case .p256(let key):
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: input)
        case .symmetric(let key):
            return HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: input, using: key)
        }
    }
}
