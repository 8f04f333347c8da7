// SPDX-License-Identifier: Apache-2.0

/// Why a signed or encrypted token was refused; it says nothing of the token's content.
package enum JOSEFailure: Error, Equatable {
    /// Not the compact serialisation, or a header that is not a JSON object.
    case malformed
    /// Longer than the limit.
    case overLimit
    /// The header names an algorithm other than the key's, or an extension that nobody here knows (`crit`).
    case unsupported
    /// The signature, or the authentication tag, is wrong.
    case wrongSignature
    /// A key that is too short, too long, or not a key.
    case unusableKey
}
