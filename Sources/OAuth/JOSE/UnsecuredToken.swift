// SPDX-License-Identifier: Apache-2.0

/// A token without a signature (RFC 7519 section 6). By itself it proves nothing.
///
/// The reply to a request for a PRT contains its `id_token` in this form; the TLS connection authenticates the token.
package enum UnsecuredToken {
    /// Returns `payload` with the header `alg` none and an empty signature part.
    package static func serialise(payload: [UInt8]) -> String {
        var header = MembersWriter()
        header.set(HeaderName.type, "JWT")
        header.set(HeaderName.algorithm, "none")
        return Base64URL.encode(header.bytes) + "." + Base64URL.encode(payload) + "."
    }
}
