// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
internal import JSON

/// A signed token as it was received (RFC 7515 section 7.1), its raw bytes kept: nothing is ever serialised again to
/// check it. Nothing in it is to be believed before ``verify(with:)``.
package struct CompactJWS: Sendable {
    /// The received ASCII up to the second dot: what the signature covers.
    package let signingInput: [UInt8]
    /// The decoded bytes of the header segment.
    package let rawHeader: [UInt8]
    /// The decoded bytes of the payload segment.
    package let rawPayload: [UInt8]
    package let signature: [UInt8]
    package let header: Members

    /// Takes apart a token of at most `limit` bytes.
    ///
    /// - Throws: ``JOSEFailure`` `malformed`, `overLimit`, or `unsupported` for a `crit` header (RFC 7515 section
    ///   4.1.11: nobody here knows an extension).
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

    /// The algorithm that the header names, nil where it is none of ours.
    package var algorithm: SignatureAlgorithm? {
        guard case .string(let name) = header[HeaderName.algorithm] else { return nil }
        return SignatureAlgorithm(rawValue: name)
    }

    /// The key id that the header names.
    package var keyID: String? {
        guard case .string(let name) = header[HeaderName.keyID] else { return nil }
        return name
    }

    /// The DER of the `x5c` certificates, leaf first, at most four. A bare string is taken for a list of one.
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

    /// Checks algorithm and signature.
    ///
    /// - Throws: ``JOSEFailure`` `unsupported` where the header names another algorithm than the key's,
    ///   `wrongSignature`.
    package func verify(with key: VerificationKey) throws(JOSEFailure) {
        guard algorithm == key.algorithm else { throw .unsupported }
        guard key.isValid(signature, for: signingInput) else { throw .wrongSignature }
    }

    /// The members of the payload.
    ///
    /// - Throws: ``MembersFailure``.
    package func claims() throws(MembersFailure) -> Members {
        try Members(decoding: rawPayload)
    }
}
