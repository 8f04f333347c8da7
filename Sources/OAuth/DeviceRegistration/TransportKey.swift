// SPDX-License-Identifier: Apache-2.0

/// The public key that a device registers at its join. Session keys are encrypted to it.
package struct TransportKey: Sendable, Equatable {
    package let key: JSONWebKey

    package init(_ key: JSONWebKey) { self.key = key }

    /// Reads the `TransportKey` of a join: base64 of a key blob or of a JWK. The first bytes determine the format.
    ///
    /// - Throws: ``JOSEFailure``.
    package init(decoding text: String) throws(JOSEFailure) {
        guard text.utf8.count <= 8 * 1024, let bytes = try? Base64.decodeLeniently(text) else { throw .malformed }
        if bytes.starts(with: RSAPublicKeyBlob.magic) {
            let numbers = try RSAPublicKeyBlob.decode(bytes)
            key = JSONWebKey(numbers: .rsa(modulus: numbers.modulus, exponent: numbers.exponent))
        } else {
            guard let members = try? Members(decoding: bytes, limit: 8 * 1024) else { throw .malformed }
            key = try JSONWebKey(members)
        }
        _ = try key.encryptionKey()
    }

    /// Reads the transport key of API version 3.0: a JWK on P-256, as text.
    ///
    /// - Throws: ``JOSEFailure``; `unsupported` for another type of key.
    package init(curve text: String) throws(JOSEFailure) {
        guard let members = try? Members(decoding: Array(text.utf8), limit: 8 * 1024) else { throw .malformed }
        key = try JSONWebKey(members)
        guard case .p256 = key.numbers else { throw .unsupported }
    }

    /// Returns the key blob in base64, the form that Baton's own device sends.
    ///
    /// - Throws: ``JOSEFailure`` `unsupported` if the key is not RSA.
    package func encoded() throws(JOSEFailure) -> String {
        guard case .rsa(let modulus, let exponent) = key.numbers else { throw .unsupported }
        return Base64.encode(RSAPublicKeyBlob.encode(modulus: modulus, exponent: exponent))
    }
}
