// SPDX-License-Identifier: Apache-2.0

/// Member names of a JSON Web Key and of a key set (RFC 7517 sections 4 and 5, RFC 7518 section 6).
package enum JSONWebKeyName: String, WireName {
    case algorithm = "alg"
    case certificates = "x5c"
    case certificateThumbprint = "x5t"
    case curve = "crv"
    case exponent = "e"
    case keyID = "kid"
    case keys
    case keyType = "kty"
    case modulus = "n"
    case use
    case x
    case y
}
