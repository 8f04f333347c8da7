// SPDX-License-Identifier: Apache-2.0

/// Names of request parameters in forms and queries (RFC 6749, RFC 7636, OpenID Connect, and Entra's own).
package enum ParameterName: String, WireName {
    case apiVersion = "api-version"
    case assertion
    case authorizationEndpoint = "authorization_endpoint"
    case clientAssertion = "client_assertion"
    case clientAssertionType = "client_assertion_type"
    case clientID = "client_id"
    case clientInfo = "client_info"
    /// The client's own id for a request. It is sent as a header, except in a URL that a browser opens.
    case clientRequestID = "client-request-id"
    case clientSecret = "client_secret"
    case claims
    case code
    case codeChallenge = "code_challenge"
    case codeChallengeMethod = "code_challenge_method"
    case codeVerifier = "code_verifier"
    case deviceCode = "device_code"
    /// A ``SignInPageProof`` (Baton's own).
    case deviceProof = "baton_device_proof"
    case domainHint = "domain_hint"
    case error
    case errorDescription = "error_description"
    case grantType = "grant_type"
    case idTokenHint = "id_token_hint"
    case issuer = "iss"
    case loginHint = "login_hint"
    case logoutHint = "logout_hint"
    case maxAge = "max_age"
    case nonce
    case uiLocales = "ui_locales"
    case password
    case postLogoutRedirectURI = "post_logout_redirect_uri"
    case prompt
    case protocolVersion = "prt_protocol_version"
    case redirectURI = "redirect_uri"
    case refreshToken = "refresh_token"
    case registration
    case request
    case requestURI = "request_uri"
    case resource
    case responseMode = "response_mode"
    case responseType = "response_type"
    case scope
    case sessionState = "session_state"
    /// The nonce that a browser credential must contain.
    case ssoNonce = "sso_nonce"
    case state
    case token
    case userCode = "user_code"
    case username
    case windowsAPIVersion = "windows_api_version"
}
