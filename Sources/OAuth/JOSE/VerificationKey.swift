// SPDX-License-Identifier: Apache-2.0
package import Crypto
package import CryptoExtras
internal import FoundationEssentials

/// A key that verifies, kept as the library's object; it decides the algorithm, the token's header only has to agree.
package enum VerificationKey: Sendable {
    case rsa(_RSA.Signing.PublicKey)
    case p256(P256.Signing.PublicKey)
    case symmetric(SymmetricKey)

    /// The one algorithm that the key is for.
    package var algorithm: SignatureAlgorithm {
        switch self {
        case .rsa: .rs256
        case .p256: .es256
        case .symmetric: .hs256
        }
    }

    /// Whether `signature` is the key's over `input`; MACs are compared in constant time.
    package func isValid(_ signature: [UInt8], for input: [UInt8]) -> Bool {
        switch self {
        case .rsa(let key):
            return key.isValidSignature(.init(rawRepresentation: signature), for: input, padding: .insecurePKCS1v1_5)
        case .p256(let key):
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: input)
        case .symmetric(let key):
            return HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: input, using: key)
        }
    }
}
