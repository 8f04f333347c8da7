// SPDX-License-Identifier: Apache-2.0
package import OAuth

/// The platform's refusals with their AADSTS numbers. Each is defined only once.
extension OAuthError {
    // People
    package static let badCredentials = OAuthError(
        .invalidGrant, number: 50126, description: "The user name or password is incorrect.")
    package static let disabledUser = OAuthError(
        .invalidGrant, number: 50057, description: "The user account is disabled.")
    package static let signInRequired = OAuthError(
        .loginRequired, number: 50058, description: "No one is signed in, and the request forbids a prompt.")
    package static let staleForm = OAuthError(
        .invalidRequest, number: 165900,
        description:
            "The page does not belong to this browser, or the browser keeps no cookies. Allow them, sign in again.")
    package static let tooManyFailures = OAuthError(
        .invalidGrant, number: 50053,
        description: "Too many wrong passwords for this name or from this address. Wait some minutes, then try again.")
    package static let busy = OAuthError(
        .temporarilyUnavailable, number: 90033, description: "Too many sign-ins at this moment. Try again shortly.")

    // Codes and tokens
    package static let badGrant = OAuthError(
        .invalidGrant, number: 70000,
        description: "The code or token is unknown, revoked, or belongs to another client.",
        suberror: Suberror.badToken)
    package static let expiredGrant = OAuthError(
        .invalidGrant, number: 70008, description: "The authorization code or refresh token has expired.",
        suberror: Suberror.tokenExpired)
    package static let reusedToken = OAuthError(
        .invalidGrant, number: 70000,
        description: "The refresh token was used before, so every token issued from it is revoked. Sign in again.",
        suberror: Suberror.badToken)
    package static let redeemedCode = OAuthError(
        .invalidGrant, number: 54005, description: "The authorization code was already redeemed.")
    package static let verifierMismatch = OAuthError(
        .invalidGrant, number: 501481, description: "The code_verifier does not match the code_challenge.")
    package static let redirectMismatch = OAuthError(
        .invalidGrant, number: 500112, description: "The redirect_uri is not the one that the code was issued for.")

    // Device codes (RFC 8628 section 3.5)
    package static let authorizationPending = OAuthError(
        .authorizationPending, number: 70016, description: "The person has not answered yet. Ask again later.")
    package static let slowDown = OAuthError(
        .slowDown, number: 70017, description: "The client polls too often. Wait five seconds longer between requests.")
    package static let declined = OAuthError(
        .authorizationDeclined, number: 65004, description: "The person has declined.")
    package static let expiredDeviceCode = OAuthError(
        .expiredToken, number: 70019, description: "The device code has expired. Start again.")
    package static let wrongUserCode = OAuthError(
        .invalidRequest, number: 5_000_620, description: "The code is wrong, used or expired. Look at the other screen."
    )
    package static let tooManyCodes = OAuthError(
        .invalidRequest, number: 5_000_621,
        description: "Too many wrong codes from this address. Wait some minutes, then try again.")
    package static let noDeviceCodeOnSharedDevice = OAuthError(
        .accessDenied, number: 5_000_622,
        description: "A shared device cannot sign in another device. Use a device of your own."
    )
    package static let tooManyDeviceCodes = OAuthError(
        .temporarilyUnavailable, number: 5_000_627,
        description:
            "Too many device codes were requested from this address, or in total. Try again later."
    )
    package static let noDeviceCodeForBroker = OAuthError(
        .unauthorizedClient, number: 5_000_625,
        description: "A broker cannot use a device code. Sign in with a browser on the device itself.")
    package static let signedInAtOtherScreen = OAuthError(
        .accessDenied, number: 5_000_626,
        description:
            "A device code cannot be used to register a device or to sign in on one. Sign in on the device itself.")
    package static let otherPersonOnDevice = OAuthError(
        .accessDenied, number: 5_000_623,
        description: "Somebody else is signed in on this shared device. Sign out of the device first, then sign in.")
    package static let endedBrowserEpoch = OAuthError(
        .accessDenied, number: 5_000_624,
        description: "The device was signed out while this page was open. Sign in again.")
    package static let badDeviceCode = OAuthError(
        .invalidGrant, number: 70018, description: "The device code is unknown, used, or belongs to another client.")

    // Requests
    package static let unsupportedToken = OAuthError(
        .unsupportedTokenType, number: 7_000_220,
        description: "Only refresh tokens are revoked one by one. An access token ends with its session.")
    package static let confidentialClientRequired = OAuthError(
        .invalidClient, number: 7_000_221, description: "Only a client that has a secret may make this request.")
    package static let unknownTenant = OAuthError(
        .invalidRequest, number: 90002, description: "The tenant was not found. Check the tenant in the address.")
    package static let ambiguousTenant = OAuthError(
        .invalidRequest, number: 50059,
        description: "The request does not say which tenant it means. Name it in the address or in login_hint.")
    package static let unknownClient = OAuthError(
        .unauthorizedClient, number: unknownClientNumber,
        description: "The application is not registered in this tenant.")
    package static let disabledClient = OAuthError(
        .unauthorizedClient, number: disabledClientNumber, description: "The application is disabled in this tenant.")
    package static let publicClientWithSecret = OAuthError(
        .invalidClient, number: 700025, description: "The client is public, so client_secret must not be sent.")
    package static let missingSecret = OAuthError(
        .invalidClient, number: 7_000_218, description: "The client must authenticate with its client_secret.")
    package static let wrongSecret = OAuthError(
        .invalidClient, number: 7_000_215, description: "The client_secret is wrong, or has expired.")
    package static let severalProofs = OAuthError(
        .invalidRequest, number: 7_000_219,
        description: "The client authenticates in two ways at once. Use either the Authorization header or the form.")
    package static let unregisteredRedirect = OAuthError(
        .invalidRequest, number: 50011, description: "The redirect_uri is not registered for the application.")
    package static let unsupportedGrant = OAuthError(
        .unsupportedGrantType, number: 70003, description: "The grant_type is not supported.")
    package static let unsupportedAssertion = OAuthError(
        .unsupportedGrantType, number: 70003,
        description:
            "Assertions and the on-behalf-of flow are not supported. Have the client request a token of its own.")
    package static let unsupportedResponseType = OAuthError(
        .unsupportedResponseType, number: 700054, description: "The response_type is not supported; use code.")
    package static let unsupportedResponseMode = OAuthError(
        .invalidRequest, number: 70007,
        description: "The response_mode is not supported; use query, fragment or form_post.")
    package static let requestObject = OAuthError(
        .requestNotSupported, number: 5_000_631, description: "The parameter request is not supported; leave it out.")
    package static let requestURI = OAuthError(
        .requestURINotSupported, number: 5_000_632,
        description: "The parameter request_uri is not supported; leave it out."
    )
    package static let selfRegistration = OAuthError(
        .registrationNotSupported, number: 5_000_633,
        description: "The parameter registration is not supported; an administrator registers applications.")
    package static let badIDTokenHint = OAuthError(
        .invalidRequest, number: 90023, description: "The id_token_hint is not an id token of this tenant.")
    package static let unknownInstance = OAuthError(
        .invalidInstance, number: 50049, description: "The host of authorization_endpoint is not one of this platform.")
    package static let unsupportedAPIVersion = OAuthError(
        .invalidRequest, number: 90023, description: "The api-version is not supported; use 1.0 or 1.1.")
    package static let challengeRequired = OAuthError(
        .invalidRequest, number: 9002325,
        description: "A proof key is required (PKCE): send code_challenge, with code_challenge_method S256.")
    package static let malformedForm = OAuthError(
        .invalidRequest, number: 9002313, description: "The request is malformed or repeats a parameter.")
    package static let malformedClaims = OAuthError(
        .invalidRequest, number: 50146, description: "The claims are not a JSON object of id_token and access_token.")
    package static let unmetAuthenticationContext = OAuthError(
        .interactionRequired, number: 53003,
        description: "The claims ask for a stronger sign-in than this platform offers. Leave acr and acrs out.")
    package static let unsupportedPrompt = OAuthError(
        .invalidRequest, number: 90023,
        description: "The prompt is not supported; use none, login, select_account or consent.")
    package static let tooLarge = OAuthError(
        .invalidRequest, number: 90098, description: "The request is larger than the server accepts.")
    package static let malformedScope = OAuthError(
        .invalidScope, number: 70011, description: "The scope is malformed.")
    package static let unknownScope = OAuthError(
        .invalidScope, number: 70011, description: "The resource does not know one of the scopes.")
    package static let severalResources = OAuthError(
        .invalidScope, number: 28000, description: "The scopes name more than one resource.")
    package static let unknownResource = OAuthError(
        .invalidResource, number: 500011, description: "The resource is not known in this tenant.")
    package static let noConsent = OAuthError(
        .invalidGrant, number: noConsentNumber,
        description: "The application is not registered for this resource or permission.",
        suberror: "consent_required")
    package static let consentDeclined = OAuthError(
        .accessDenied, number: 65004, description: "The person declined the application's request.")
    package static let unavailable = OAuthError(
        .temporarilyUnavailable, number: 90033,
        description: "The server cannot use its database at this moment. Try again shortly.")
    package static let serverFault = OAuthError(
        .serverError, number: 90027, description: "The server failed. Try again; tell the operator the trace id.")

    /// Returns the error for a missing required parameter.
    package static func missing(_ name: ParameterName) -> OAuthError {
        OAuthError(.invalidRequest, number: 900144, description: "The request lacks the parameter \(name.rawValue).")
    }
}
