// SPDX-License-Identifier: Apache-2.0

/// Member names in replies of the token endpoint, including errors.
package enum ReplyName: String, WireName {
    case accessToken = "access_token"
    case active
    case anchor
    case claims
    case clientID = "client_id"
    case clientInfo = "client_info"
    case correlationID = "correlation_id"
    case deviceCode = "device_code"
    case deviceTenantID = "device_tenant_id"
    case ended
    case left
    case error
    case errorCodes = "error_codes"
    case errorDescription = "error_description"
    case errorURI = "error_uri"
    case expiresIn = "expires_in"
    case expiresOn = "expires_on"
    case extendedExpiresIn = "ext_expires_in"
    case idToken = "id_token"
    case interval
    case message
    case nonce = "Nonce"
    case notBefore = "not_before"
    case offlineLeases = "offline_leases"
    case receiptSubject = "receipt_subject"
    case refreshToken = "refresh_token"
    case refreshTokenExpiresIn = "refresh_token_expires_in"
    case resource
    case scope
    case sessionKey = "session_key_jwe"
    case status
    case suberror
    case timestamp
    case tokenType = "token_type"
    case traceID = "trace_id"
    case userCode = "user_code"
    case username
    case verificationURI = "verification_uri"
    case verificationURIComplete = "verification_uri_complete"
    case verificationURL = "verification_url"
}
