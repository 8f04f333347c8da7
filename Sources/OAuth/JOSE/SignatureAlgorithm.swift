// SPDX-License-Identifier: Apache-2.0

/// The supported signature algorithms (RFC 7518 section 3.1). `none` is not supported.
package enum SignatureAlgorithm: String, Sendable, CaseIterable {
    case hs256 = "HS256"
    case rs256 = "RS256"
    case ps256 = "PS256"
    case es256 = "ES256"
}
