// SPDX-License-Identifier: Apache-2.0

/// Member names of a JOSE header (RFC 7515 section 4, RFC 7516 section 4, and the PRT dialect's `ctx` and `kdf_ver`).
package enum HeaderName: String, WireName {
    case algorithm = "alg"
    case certificates = "x5c"
    case certificateThumbprint = "x5t"
    case context = "ctx"
    case critical = "crit"
    case encryption = "enc"
    case keyDerivationVersion = "kdf_ver"
    case keyID = "kid"
    case type = "typ"
    case use
}
