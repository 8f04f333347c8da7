// SPDX-License-Identifier: Apache-2.0

/// The numbers under ``MSALInternalErrorCodeKey`` of errors with the code ``MSALError/internal``.
public enum MSALInternalError: Int, Sendable {
    case internalErrorInvalidParameter = -42000
    case internalErrorRedirectSchemeNotRegistered = -42001
    case internalErrorInvalidRequest = -42002
    case internalErrorInvalidClient = -42003
    case internalErrorInvalidGrant = -42004
    case internalErrorInvalidScope = -42005
    case internalErrorUnauthorizedClient = -42006
    case internalErrorUnhandledResponse = -42007
    case internalErrorUnexpected = -42008
    case internalErrorUnexpectedHttpResponse = -42009
    case internalErrorFailedAuthorityValidation = -42010
    case internalErrorInvalidRedirectURI = -42011
    case internalErrorMismatchedUser = -42101
    case internalErrorAmbiguousAccount = -42102
    case internalErrorAuthorizationFailed = -42104
    case internalErrorAccountRequired = -42106
    case internalErrorInteractiveSessionAlreadyRunning = -42402
    case internalErrorNoViewController = -42403
    case internalErrorInvalidResponse = -42600
    case internalErrorBrokerResponseNotReceived = -42700
    case internalErrorBrokerCorruptedResponse = -42705
    case internalErrorBrokerUnknown = -42711
    case internalBrokerNotAvailable = -42714
}
