// SPDX-License-Identifier: Apache-2.0

/// Member names in tokens and in signed requests (RFC 7519, OpenID Connect, Entra's own, and Baton's epoch).
package enum ClaimName: String, WireName {
    case assertion
    case audience = "aud"
    case appID = "appid"
    case appIDAuthenticationClass = "appidacr"
    case authenticationMethods = "amr"
    case authenticationTime = "auth_time"
    case authorizedParty = "azp"
    case authorizedPartyAuthenticationClass = "azpacr"
    case claims
    case clientCapabilities = "xms_cc"
    case clientID = "client_id"
    case deviceID = "deviceid"
    case directoryRoles = "wids"
    case email
    case endBrowserSession = "end_browser_session"
    case epochCounter = "epoch_counter"
    case epochID = "epoch_id"
    case expiresAt = "exp"
    case familyName = "family_name"
    case givenName = "given_name"
    case grantType = "grant_type"
    case groupSIDs = "group_sids"
    case identityType = "idtyp"
    case isPrimary = "is_primary"
    case issuedAt = "iat"
    case issuer = "iss"
    case jwtID = "jti"
    case loginHint = "login_hint"
    case name
    case nonce
    case notBefore = "nbf"
    case objectID = "oid"
    case password
    case preferredUsername = "preferred_username"
    case previousRefreshToken = "previous_refresh_token"
    case receiptAnchor = "receipt_anchor"
    case receiptHead = "receipt_head"
    case redirectURI = "redirect_uri"
    case refreshToken = "refresh_token"
    case requestNonce = "request_nonce"
    case resource
    /// The permissions of an application that acts for itself.
    case roles
    case scope
    case scopes = "scp"
    case sessionID = "sid"
    case subject = "sub"
    case tenantID = "tid"
    case tokenID = "uti"
    case uniqueName = "unique_name"
    case userPrincipalName = "upn"
    case username
    case version = "ver"
    case windowsVersion = "win_ver"
}
