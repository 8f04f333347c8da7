// SPDX-License-Identifier: Apache-2.0

/// Why a signed or encrypted token was refused. The error contains no part of the token.
package enum JOSEFailure: Error, Equatable {
    /// The text is not a compact serialisation, or its header is not a JSON object.
    case malformed
    /// The token is longer than the limit.
    case overLimit
    /// The header names an algorithm other than the key's, or an unsupported extension (`crit`).
    case unsupported
    /// The signature or the authentication tag is wrong.
    case wrongSignature
    /// The key is too short or too long, or the data is not a key.
    case unusableKey
}
