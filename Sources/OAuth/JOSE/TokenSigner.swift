// SPDX-License-Identifier: Apache-2.0

/// Signs payloads with one key and one header. The header's segment is encoded only once, so each token costs only two
/// base64 encodings and the signature.
package struct TokenSigner: Sendable {
    package let key: SigningKey
    private let headerSegment: [UInt8]

    /// Makes a signer with a fixed header: `typ` JWT, the key's `alg`, its `kid` and, for older clients, `x5t` if a
    /// thumbprint is given.
    package init(key: SigningKey, keyID: String, certificateThumbprint: String? = nil) {
        var header = MembersWriter()
        header.set(HeaderName.type, "JWT")
        header.set(HeaderName.algorithm, key.algorithm.rawValue)
        header.set(HeaderName.certificateThumbprint, certificateThumbprint)
        header.set(HeaderName.keyID, keyID)
        self.init(key: key, header: header)
    }

    /// Makes a signer with the device's certificate in the header (`x5c`, RFC 7515 section 4.1.6).
    ///
    /// - Parameters:
    ///   - certificate: the certificate in DER format.
    ///   - keyDerivationVersion: the version to announce to the server in a request for a PRT.
    package init(key: SigningKey, certificate: [UInt8], keyDerivationVersion: KeyDerivationVersion? = nil) {
        var header = MembersWriter()
        header.set(HeaderName.type, "JWT")
        header.set(HeaderName.algorithm, key.algorithm.rawValue)
        header.set(HeaderName.certificates, [Base64.encode(certificate)])
        if keyDerivationVersion == .two { header.set(HeaderName.keyDerivationVersion, 2) }
        self.init(key: key, header: header)
    }

    /// Makes a signer with the caller's header, whose `alg` must match the key.
    package init(key: SigningKey, header: MembersWriter) {
        self.key = key
        var segment: [UInt8] = []
        Base64URL.append(header.bytes, to: &segment)
        headerSegment = segment
    }

    /// Returns the compact serialisation of `payload`, which is JSON and is not changed.
    ///
    /// - Throws: the error of the cryptography library if the key cannot sign.
    package func token(payload: [UInt8]) throws -> String {
        var text: [UInt8] = []
        text.reserveCapacity(headerSegment.count + payload.count * 4 / 3 + 360)
        text += headerSegment
        text.append(UInt8(ascii: "."))
        Base64URL.append(payload, to: &text)
        let signature = try key.signature(for: text)
        text.append(UInt8(ascii: "."))
        Base64URL.append(signature, to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}
