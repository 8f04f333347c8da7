// SPDX-License-Identifier: Apache-2.0

/// The signature algorithms that this product takes (RFC 7518 section 3.1). `none` is not one of them.
package enum SignatureAlgorithm: String, Sendable, CaseIterable {
    case hs256 = "HS256"
    case rs256 = "RS256"
    case es256 = "ES256"
}
