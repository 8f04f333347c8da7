// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import CryptoExtras

extension SigningKey {
    /// Reads an unencrypted private key in PEM format: ECDSA on P-256, or RSA with at least 2048 bits.
    ///
    /// - Throws: ``JOSEFailure`` `unusableKey`.
    package init(pem: String) throws(JOSEFailure) {
        if let key = try? P256.Signing.PrivateKey(pemRepresentation: pem) {
            self = .p256(key)
        } else if let key = try? _RSA.Signing.PrivateKey(pemRepresentation: pem), key.keySizeInBits >= 2048 {
            self = .rsa(key)
        } else {
            throw .unusableKey
        }
    }
}
