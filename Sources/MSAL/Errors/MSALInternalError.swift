// SPDX-License-Identifier: Apache-2.0

/// The values of ``MSALInternalErrorCodeKey`` for errors with the code ``MSALError/internal``.
///
/// The names that Swift gave these cases in earlier versions also exist; see <doc:FromMicrosoftsLibrary>.
#if canImport(ObjectiveC)
    @objc(MSALInternalError)
#endif
public enum MSALInternalError: Int, Sendable {
    /// A parameter of the app's call is missing or invalid.
    #if canImport(ObjectiveC)
        @objc(MSALInternalErrorInvalidParameter)
    #endif
    case internalErrorInvalidParameter = -42000
    /// The redirect URI's scheme is not registered.
    #if canImport(ObjectiveC)
        @objc(MSALInternalErrorRedirectSchemeNotRegistered)
    #endif
    case internalErrorRedirectSchemeNotRegistered = -42001
    /// The server answered `invalid_request` (RFC 6749 section 5.2).
    #if canImport(ObjectiveC)
        @objc(MSALInternalErrorInvalidRequest)
    #endif
    case internalErrorInvalidRequest = -42002
    /// The server answered `invalid_client`.
    #if canImport(ObjectiveC)
        @objc(MSALInternalErrorInvalidClient)
    #endif
    case internalErrorInvalidClient = -42003
    /// The server answered `invalid_grant`.
    #if canImport(ObjectiveC)
        @objc(MSALInternalErrorInvalidGrant)
    #endif
    case internalErrorInvalidGrant = -42004
    /// The server answered `invalid_scope`.
    #if canImport(ObjectiveC)
        @objc(MSALInternalErrorInvalidScope)
    #endif
    case internalErrorInvalidScope = -42005
    /// The server answered `unauthorized_client`.
    #if canImport(ObjectiveC)
        @objc(MSALInternalErrorUnauthorizedClient)
    #endif
    case internalErrorUnauthorizedClient = -42006
    /// The server answered with an unexpected HTTP status.
    #if canImport(ObjectiveC)
        @objc(MSALInternalErrorUnhandledResponse)
    #endif
    case internalErrorUnhandledResponse = -42007
    /// An unexpected error.
    #if canImport(ObjectiveC)
        @objc(MSALInternalErrorUnexpected)
    #endif
    case internalErrorUnexpected = -42008
    /// The server refused with HTTP status 403 or 404.
    #if canImport(ObjectiveC)
        @objc(MSALInternalErrorUnexpectedHttpResponse)
    #endif
    case internalErrorUnexpectedHttpResponse = -42009
    /// The authority is not trusted.
    #if canImport(ObjectiveC)
        @objc(MSALInternalErrorFailedAuthorityValidation)
    #endif
    case internalErrorFailedAuthorityValidation = -42010
    /// The redirect URI cannot be used.
    #if canImport(ObjectiveC)
        @objc(MSALInternalErrorInvalidRedirectURI)
    #endif
    case internalErrorInvalidRedirectURI = -42011
    /// The server returned an account other than the requested one.
    #if canImport(ObjectiveC)
        @objc(MSALInternalErrorMismatchedUser)
    #endif
    case internalErrorMismatchedUser = -42101
    /// There are several accounts but only one account is possible.
    #if canImport(ObjectiveC)
        @objc(MSALInternalErrorAmbiguousAccount)
    #endif
    case internalErrorAmbiguousAccount = -42102
    /// The server refused to sign the user in.
    #if canImport(ObjectiveC)
        @objc(MSALInternalErrorAuthorizationFailed)
    #endif
    case internalErrorAuthorizationFailed = -42104
    /// The call needs an account.
    #if canImport(ObjectiveC)
        @objc(MSALInternalErrorAccountRequired)
    #endif
    case internalErrorAccountRequired = -42106
    /// The page was closed. The library never returns this code: see ``MSALError/userCanceled``.
    #if canImport(ObjectiveC)
        @objc(MSALInternalErrorSessionCanceled)
    #endif
    case internalErrorSessionCanceled = -42401
    /// A sign-in is already in progress.
    #if canImport(ObjectiveC)
        @objc(MSALInternalErrorInteractiveSessionAlreadyRunning)
    #endif
    case internalErrorInteractiveSessionAlreadyRunning = -42402
    /// There is nothing on which to present a page.
    #if canImport(ObjectiveC)
        @objc(MSALInternalErrorNoViewController)
    #endif
    case internalErrorNoViewController = -42403
    /// An extension of an app cannot open an address. The library never returns this code: Linux has no such
    /// extensions.
    #if canImport(ObjectiveC)
        @objc(MSALInternalErrorAttemptToOpenURLFromExtension)
    #endif
    case internalErrorAttemptToOpenURLFromExtension = -42404
    /// An extension of an app cannot show a page. The library never returns this code: Linux has no such extensions.
    #if canImport(ObjectiveC)
        @objc(MSALInternalErrorUINotSupportedInExtension)
    #endif
    case internalErrorUINotSupportedInExtension = -42405
    /// The response belongs to another request.
    #if canImport(ObjectiveC)
        @objc(MSALInternalErrorInvalidState)
    #endif
    case internalErrorInvalidState = -42501
    /// The server's response cannot be read.
    #if canImport(ObjectiveC)
        @objc(MSALInternalErrorInvalidResponse)
    #endif
    case internalErrorInvalidResponse = -42600
    /// The server redirected to an address that is not https.
    #if canImport(ObjectiveC)
        @objc(MSALInternalErrorNonHttpsRedirect)
    #endif
    case internalErrorNonHttpsRedirect = -42602
    /// The broker's response did not arrive.
    #if canImport(ObjectiveC)
        @objc(MSALInternalErrorBrokerResponseNotReceived)
    #endif
    case internalErrorBrokerResponseNotReceived = -42700
    /// The broker's response is corrupted.
    #if canImport(ObjectiveC)
        @objc(MSALInternalErrorBrokerCorruptedResponse)
    #endif
    case internalErrorBrokerCorruptedResponse = -42705
    /// The broker's response cannot be read.
    #if canImport(ObjectiveC)
        @objc(MSALInternalErrorBrokerUnknown)
    #endif
    case internalErrorBrokerUnknown = -42711
    /// There is no broker, or it is unavailable or switched off.
    #if canImport(ObjectiveC)
        @objc(MSALInternalBrokerNotAvailable)
    #endif
    case internalBrokerNotAvailable = -42714
    /// The address of a page is invalid. The library never returns this code: the broker makes the addresses.
    #if canImport(ObjectiveC)
        @objc(MSALInternalErrorInvalidASWebAuthenticationURL)
    #endif
    case internalErrorInvalidASWebAuthenticationURL = -42745
}
