// SPDX-License-Identifier: Apache-2.0

/// Base64 with the URL-safe alphabet and no padding (RFC 7515 section 2).
package enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let values = Base64.values(of: alphabet)

    /// Encodes `bytes` as text.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        append(bytes, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends the encoding of `bytes` to `text`, which is ASCII.
    package static func append(_ bytes: some Sequence<UInt8>, to text: inout [UInt8]) {
        Base64.append(bytes, alphabet: alphabet, padded: false, to: &text)
    }

    /// Decodes text; refuses padding, invalid characters and non-zero unused bits.
    ///
    /// - Throws: ``Base64Failure``.
    package static func decode(_ text: some StringProtocol) throws(Base64Failure) -> [UInt8] {
        try decode(ArraySlice(text.utf8))
    }

    /// Decodes ASCII; refuses padding, invalid characters and non-zero unused bits.
    ///
    /// - Throws: ``Base64Failure``.
    package static func decode(_ text: ArraySlice<UInt8>) throws(Base64Failure) -> [UInt8] {
        try Base64.bytes(of: text, values: values)
    }
}
