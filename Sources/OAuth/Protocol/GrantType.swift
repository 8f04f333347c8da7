// SPDX-License-Identifier: Apache-2.0

/// The values of `grant_type`.
package enum GrantType: String, Sendable {
    case authorizationCode = "authorization_code"
    /// A token for the client itself, without a person (RFC 6749 section 4.4).
    case clientCredentials = "client_credentials"
    case deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
    case deviceToken = "device_token"
    /// RFC 7523; also the envelope of every PRT request (MS-OAPXBC).
    case jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    case password
    case refreshToken = "refresh_token"
    /// Requests a nonce (MS-OAPXBC).
    case serverChallenge = "srv_challenge"
}
