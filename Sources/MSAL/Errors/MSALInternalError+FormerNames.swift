// SPDX-License-Identifier: Apache-2.0

extension MSALInternalError {
    // MARK: The names of version 1.0

    /// The name of ``internalErrorInvalidParameter`` in version 1.0.
    public static let invalidParameter = internalErrorInvalidParameter
    /// The name of ``internalErrorRedirectSchemeNotRegistered`` in version 1.0.
    public static let redirectSchemeNotRegistered = internalErrorRedirectSchemeNotRegistered
    /// The name of ``internalErrorInvalidRequest`` in version 1.0.
    public static let invalidRequest = internalErrorInvalidRequest
    /// The name of ``internalErrorInvalidClient`` in version 1.0.
    public static let invalidClient = internalErrorInvalidClient
    /// The name of ``internalErrorInvalidGrant`` in version 1.0.
    public static let invalidGrant = internalErrorInvalidGrant
    /// The name of ``internalErrorInvalidScope`` in version 1.0.
    public static let invalidScope = internalErrorInvalidScope
    /// The name of ``internalErrorUnauthorizedClient`` in version 1.0.
    public static let unauthorizedClient = internalErrorUnauthorizedClient
    /// The name of ``internalErrorUnhandledResponse`` in version 1.0.
    public static let unhandledResponse = internalErrorUnhandledResponse
    /// The name of ``internalErrorUnexpected`` in version 1.0.
    public static let unexpected = internalErrorUnexpected
    /// The name of ``internalErrorUnexpectedHttpResponse`` in version 1.0.
    public static let unexpectedHttpResponse = internalErrorUnexpectedHttpResponse
    /// The name of ``internalErrorFailedAuthorityValidation`` in version 1.0.
    public static let failedAuthorityValidation = internalErrorFailedAuthorityValidation
    /// The name of ``internalErrorInvalidRedirectURI`` in version 1.0.
    public static let invalidRedirectURI = internalErrorInvalidRedirectURI
    /// The name of ``internalErrorMismatchedUser`` in version 1.0.
    public static let mismatchedUser = internalErrorMismatchedUser
    /// The name of ``internalErrorAmbiguousAccount`` in version 1.0.
    public static let ambiguousAccount = internalErrorAmbiguousAccount
    /// The name of ``internalErrorAuthorizationFailed`` in version 1.0.
    public static let authorizationFailed = internalErrorAuthorizationFailed
    /// The name of ``internalErrorAccountRequired`` in version 1.0.
    public static let accountRequired = internalErrorAccountRequired
    /// The name of ``internalErrorSessionCanceled`` in version 1.0.
    public static let sessionCanceled = internalErrorSessionCanceled
    /// The name of ``internalErrorAttemptToOpenURLFromExtension`` in version 1.0.
    public static let attemptToOpenURLFromExtension = internalErrorAttemptToOpenURLFromExtension
    /// The name of ``internalErrorUINotSupportedInExtension`` in version 1.0.
    public static let uiNotSupportedInExtension = internalErrorUINotSupportedInExtension
    /// The name of ``internalErrorInteractiveSessionAlreadyRunning`` in version 1.0.
    public static let interactiveSessionAlreadyRunning = internalErrorInteractiveSessionAlreadyRunning
    /// The name of ``internalErrorNoViewController`` in version 1.0.
    public static let noViewController = internalErrorNoViewController
    /// The name of ``internalErrorInvalidState`` in version 1.0.
    public static let invalidState = internalErrorInvalidState
    /// The name of ``internalErrorInvalidResponse`` in version 1.0.
    public static let invalidResponse = internalErrorInvalidResponse
    /// The name of ``internalErrorNonHttpsRedirect`` in version 1.0.
    public static let nonHttpsRedirect = internalErrorNonHttpsRedirect
    /// The name of ``internalErrorBrokerResponseNotReceived`` in version 1.0.
    public static let brokerResponseNotReceived = internalErrorBrokerResponseNotReceived
    /// The name of ``internalErrorBrokerCorruptedResponse`` in version 1.0.
    public static let brokerCorruptedResponse = internalErrorBrokerCorruptedResponse
    /// The name of ``internalErrorBrokerUnknown`` in version 1.0.
    public static let brokerUnknown = internalErrorBrokerUnknown

    // MARK: The names of versions 1.1.0 to 1.2.8

    /// ``internalErrorInvalidParameter`` in versions 1.1.0 to 1.2.8.
    public static let errorInvalidParameter = internalErrorInvalidParameter
    /// ``internalErrorRedirectSchemeNotRegistered`` in versions 1.1.0 to 1.2.8.
    public static let errorRedirectSchemeNotRegistered = internalErrorRedirectSchemeNotRegistered
    /// ``internalErrorInvalidRequest`` in versions 1.1.0 to 1.2.8.
    public static let errorInvalidRequest = internalErrorInvalidRequest
    /// ``internalErrorInvalidClient`` in versions 1.1.0 to 1.2.8.
    public static let errorInvalidClient = internalErrorInvalidClient
    /// ``internalErrorInvalidGrant`` in versions 1.1.0 to 1.2.8.
    public static let errorInvalidGrant = internalErrorInvalidGrant
    /// ``internalErrorInvalidScope`` in versions 1.1.0 to 1.2.8.
    public static let errorInvalidScope = internalErrorInvalidScope
    /// ``internalErrorUnauthorizedClient`` in versions 1.1.0 to 1.2.8.
    public static let errorUnauthorizedClient = internalErrorUnauthorizedClient
    /// ``internalErrorUnhandledResponse`` in versions 1.1.0 to 1.2.8.
    public static let errorUnhandledResponse = internalErrorUnhandledResponse
    /// ``internalErrorUnexpected`` in versions 1.1.0 to 1.2.8.
    public static let errorUnexpected = internalErrorUnexpected
    /// ``internalErrorUnexpectedHttpResponse`` in versions 1.1.0 to 1.2.8.
    public static let errorUnexpectedHttpResponse = internalErrorUnexpectedHttpResponse
    /// ``internalErrorFailedAuthorityValidation`` in versions 1.1.0 to 1.2.8.
    public static let errorFailedAuthorityValidation = internalErrorFailedAuthorityValidation
    /// ``internalErrorInvalidRedirectURI`` in versions 1.1.0 to 1.2.8.
    public static let errorInvalidRedirectURI = internalErrorInvalidRedirectURI
    /// ``internalErrorMismatchedUser`` in versions 1.1.0 to 1.2.8.
    public static let errorMismatchedUser = internalErrorMismatchedUser
    /// ``internalErrorAmbiguousAccount`` in versions 1.1.0 to 1.2.8.
    public static let errorAmbiguousAccount = internalErrorAmbiguousAccount
    /// ``internalErrorAuthorizationFailed`` in versions 1.1.0 to 1.2.8.
    public static let errorAuthorizationFailed = internalErrorAuthorizationFailed
    /// ``internalErrorAccountRequired`` in versions 1.1.0 to 1.2.8.
    public static let errorAccountRequired = internalErrorAccountRequired
    /// ``internalErrorSessionCanceled`` in versions 1.1.0 to 1.2.8.
    public static let errorSessionCanceled = internalErrorSessionCanceled
    /// ``internalErrorAttemptToOpenURLFromExtension`` in versions 1.1.0 to 1.2.8.
    public static let errorAttemptToOpenURLFromExtension = internalErrorAttemptToOpenURLFromExtension
    /// ``internalErrorUINotSupportedInExtension`` in versions 1.1.0 to 1.2.8.
    public static let errorUINotSupportedInExtension = internalErrorUINotSupportedInExtension
    /// ``internalErrorInteractiveSessionAlreadyRunning`` in versions 1.1.0 to 1.2.8.
    public static let errorInteractiveSessionAlreadyRunning = internalErrorInteractiveSessionAlreadyRunning
    /// ``internalErrorNoViewController`` in versions 1.1.0 to 1.2.8.
    public static let errorNoViewController = internalErrorNoViewController
    /// ``internalErrorInvalidState`` in versions 1.1.0 to 1.2.8.
    public static let errorInvalidState = internalErrorInvalidState
    /// ``internalErrorInvalidResponse`` in versions 1.1.0 to 1.2.8.
    public static let errorInvalidResponse = internalErrorInvalidResponse
    /// ``internalErrorNonHttpsRedirect`` in versions 1.1.0 to 1.2.8.
    public static let errorNonHttpsRedirect = internalErrorNonHttpsRedirect
    /// ``internalErrorBrokerResponseNotReceived`` in versions 1.1.0 to 1.2.8.
    public static let errorBrokerResponseNotReceived = internalErrorBrokerResponseNotReceived
    /// ``internalErrorBrokerCorruptedResponse`` in versions 1.1.0 to 1.2.8.
    public static let errorBrokerCorruptedResponse = internalErrorBrokerCorruptedResponse
    /// ``internalErrorBrokerUnknown`` in versions 1.1.0 to 1.2.8.
    public static let errorBrokerUnknown = internalErrorBrokerUnknown
    /// ``internalBrokerNotAvailable`` in versions 1.1.0 to 1.2.8.
    public static let brokerNotAvailable = internalBrokerNotAvailable
}
