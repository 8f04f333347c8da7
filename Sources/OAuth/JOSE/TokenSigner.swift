// SPDX-License-Identifier: Apache-2.0

/// Signs payloads under one key and one header: the header's segment is written once, a token then costs two base64
/// passes and the signature.
package struct TokenSigner: Sendable {
    package let key: SigningKey
    private let headerSegment: [UInt8]

    /// Fixes the header: `typ` JWT, the key's `alg`, its `kid`, and `x5t` where a client of the older kind wants it.
    package init(key: SigningKey, keyID: String, certificateThumbprint: String? = nil) {
        var header = MembersWriter()
        header.set(HeaderName.type, "JWT")
        header.set(HeaderName.algorithm, key.algorithm.rawValue)
        header.set(HeaderName.certificateThumbprint, certificateThumbprint)
        header.set(HeaderName.keyID, keyID)
        self.init(key: key, header: header)
    }

    /// Signs with the device's certificate in the header (`x5c`, RFC 7515 section 4.1.6).
    ///
    /// - Parameters:
    ///   - certificate: DER.
    ///   - keyDerivationVersion: announced to the server in a PRT issue request.
    package init(key: SigningKey, certificate: [UInt8], keyDerivationVersion: KeyDerivationVersion? = nil) {
        var header = MembersWriter()
        header.set(HeaderName.type, "JWT")
        header.set(HeaderName.algorithm, key.algorithm.rawValue)
        header.set(HeaderName.certificates, [Base64.encode(certificate)])
        if keyDerivationVersion == .two { header.set(HeaderName.keyDerivationVersion, 2) }
        self.init(key: key, header: header)
    }

    /// Signs under a header written by the caller; its `alg` must be the key's.
    package init(key: SigningKey, header: MembersWriter) {
        self.key = key
        var segment: [UInt8] = []
        Base64URL.append(header.bytes, to: &segment)
        headerSegment = segment
    }

    /// Writes the compact serialisation of `payload` (JSON bytes, used as they are).
    ///
    /// - Throws: the library's error, where the key cannot sign.
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
