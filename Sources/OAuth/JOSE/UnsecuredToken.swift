// SPDX-License-Identifier: Apache-2.0

/// A token that nobody signed (RFC 7519 section 6): a name plate, never a proof.
///
/// The reply to a PRT issue request carries its `id_token` so; what makes it believable there is the TLS connection.
package enum UnsecuredToken {
    /// Writes `payload` under the header `alg` none, with the empty third part.
    package static func serialise(payload: [UInt8]) -> String {
        var header = MembersWriter()
        header.set(HeaderName.type, "JWT")
        header.set(HeaderName.algorithm, "none")
        return Base64URL.encode(header.bytes) + "." + Base64URL.encode(payload) + "."
    }
}
