// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
internal import JSON

/// A received signed token (RFC 7515 section 7.1). The struct keeps the raw bytes, so that the signature is checked
/// without serialising the token again. Do not trust its contents before ``verify(with:)``.
package struct CompactJWS: Sendable {
    /// The received ASCII text before the second dot. The signature covers these bytes.
    package let signingInput: [UInt8]
    /// The decoded bytes of the header segment.
    package let rawHeader: [UInt8]
    /// The decoded bytes of the payload segment.
    package let rawPayload: [UInt8]
    package let signature: [UInt8]
    package let header: Members

    /// Parses a token of at most `limit` bytes.
    ///
    /// - Throws: ``JOSEFailure`` `malformed`, `overLimit`, or `unsupported` for a `crit` header, because no extension
    ///   is supported (RFC 7515 section 4.1.11).
    package init(_ text: String, limit: Int = 32 * 1024) throws(JOSEFailure) {
        let ascii = Array(text.utf8)
        guard ascii.count <= limit else { throw .overLimit }
        let segments = ascii.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard segments.count == 3 else { throw .malformed }
        signingInput = Array(ascii.prefix(segments[0].count + 1 + segments[1].count))
        do {
            rawHeader = try Base64URL.decode(segments[0])
            rawPayload = try Base64URL.decode(segments[1])
            signature = try Base64URL.decode(segments[2])
            header = try Members(decoding: rawHeader, limit: limit)
        } catch {
            throw .malformed
        }
        guard header[HeaderName.critical] == nil else { throw .unsupported }
    }

    /// The algorithm in the header; nil if it is not supported.
    package var algorithm: SignatureAlgorithm? {
        guard case .string(let name) = header[HeaderName.algorithm] else { return nil }
        return SignatureAlgorithm(rawValue: name)
    }

    /// The key id in the header.
    package var keyID: String? {
        guard case .string(let name) = header[HeaderName.keyID] else { return nil }
        return name
    }

    /// Returns the `x5c` certificates as DER, leaf first, at most four. A single string counts as a list with one
    /// element.
    ///
    /// - Throws: ``JOSEFailure`` `malformed`.
    package func certificates() throws(JOSEFailure) -> [[UInt8]] {
        do {
            let texts = try header.stringOrStrings(HeaderName.certificates) ?? []
            guard texts.count <= 4 else { throw JOSEFailure.overLimit }
            return try texts.map { try Base64.decodeLeniently($0) }
        } catch {
            throw .malformed
        }
    }

    /// Checks the algorithm and the signature.
    ///
    /// - Throws: ``JOSEFailure`` `unsupported` if the header's algorithm differs from the key's, `wrongSignature` if
    ///   the signature is invalid.
    package func verify(with key: VerificationKey) throws(JOSEFailure) {
        guard algorithm == key.algorithm else { throw .unsupported }
        guard key.isValid(signature, for: signingInput) else { throw .wrongSignature }
    }

    /// Returns the members of the payload.
    ///
    /// - Throws: ``MembersFailure``.
    package func claims() throws(MembersFailure) -> Members {
        try Members(decoding: rawPayload)
    }
}
