// SPDX-License-Identifier: Apache-2.0

/// The five parts of a compact JWE (RFC 7516 section 7.1), split and decoded but not decrypted.
struct EncryptedSegments {
    /// The only content encryption in headers of this dialect.
    static let gcm = "A256GCM"

    /// The ASCII of the first segment, which the tag covers together with the ciphertext.
    let authenticated: [UInt8]
    let header: Members
    let encryptedKey: [UInt8]
    let initialisationVector: [UInt8]
    let ciphertext: [UInt8]
    let tag: [UInt8]

    init(_ text: String, limit: Int) throws(JOSEFailure) {
        let ascii = Array(text.utf8)
        guard ascii.count <= limit else { throw .overLimit }
        let segments = ascii.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard segments.count == 5 else { throw .malformed }
        authenticated = Array(segments[0])
        do {
            header = try Members(decoding: try Base64URL.decode(segments[0]), limit: limit)
            encryptedKey = try Base64URL.decode(segments[1])
            initialisationVector = try Base64URL.decode(segments[2])
            ciphertext = try Base64URL.decode(segments[3])
            tag = try Base64URL.decode(segments[4])
        } catch {
            throw .malformed
        }
        guard header[HeaderName.critical] == nil else { throw .unsupported }
    }
}
