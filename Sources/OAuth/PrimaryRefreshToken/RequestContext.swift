// SPDX-License-Identifier: Apache-2.0
internal import JSON

/// The random context (`ctx`) that makes each derived key different.
enum RequestContext {
    /// The length in bytes that Baton writes. Third-party clients write 24 or 32.
    static let length = 24

    /// Returns the context of a header: standard base64, 16 to 64 bytes.
    static func read(_ header: Members) throws(JOSEFailure) -> [UInt8] {
        guard case .string(let text) = header[HeaderName.context], let bytes = try? Base64.decodeLeniently(text),
            (16...64).contains(bytes.count)
        else { throw .malformed }
        return bytes
    }
}
