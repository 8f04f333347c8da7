// SPDX-License-Identifier: Apache-2.0

/// The public key that a device gives at its join, for session keys to be encrypted to.
package struct TransportKey: Sendable, Equatable {
    package let key: JSONWebKey

    package init(_ key: JSONWebKey) { self.key = key }

    /// Reads the join's `TransportKey`: base64 of a key blob or of a JWK's text, told apart by the first bytes.
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

    /// Reads the transport key of API version 3.0: the text of a JWK on P-256.
    ///
    /// - Throws: ``JOSEFailure``; `unsupported` for a key of another kind.
    package init(curve text: String) throws(JOSEFailure) {
        guard let members = try? Members(decoding: Array(text.utf8), limit: 8 * 1024) else { throw .malformed }
        key = try JSONWebKey(members)
        guard case .p256 = key.numbers else { throw .unsupported }
    }

    /// Base64 of the key blob: what Baton's own device sends.
    ///
    /// - Throws: ``JOSEFailure`` `unsupported` for a key that is not RSA.
    package func encoded() throws(JOSEFailure) -> String {
        guard case .rsa(let modulus, let exponent) = key.numbers else { throw .unsupported }
        return Base64.encode(RSAPublicKeyBlob.encode(modulus: modulus, exponent: exponent))
    }
}
