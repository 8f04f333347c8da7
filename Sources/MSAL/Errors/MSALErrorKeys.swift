// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file: AlwaysUseLowerCamelCase
// The names are Microsoft's; apps use them to read errors.

/// The domain of the library's errors; the codes are ``MSALError``.
public let MSALErrorDomain: String = "MSALErrorDomain"
/// String: cause and remedy, for developers; contains no user data (ERR-7). It is also the error's `localizedDescription`.
public let MSALErrorDescriptionKey: String = "MSALErrorDescriptionKey"
/// String: a stable code for the cause, finer than the error codes, such as `signed_in_offline` or `broker_silent`.
/// Microsoft's library does not have this key.
///
/// The value is a name from `docs/reference/errors.md`: the broker's reason if the broker gave a reason, otherwise the
/// name of the error.
public let BatonReasonKey: String = "BatonReasonKey"
/// String: the server's OAuth error.
public let MSALOAuthErrorKey: String = "MSALOAuthErrorKey"
/// String: the server's suberror.
public let MSALOAuthSubErrorKey: String = "MSALOAuthSubErrorKey"
/// String: the server's description of its suberror.
public let MSALOAuthSubErrorDescriptionKey: String = "MSALOAuthSubErrorDescriptionKey"
/// List of NSNumber: the server's own error codes.
public let MSALSTSErrorCodesKey: String = "MSALSTSErrorCodesKey"
/// NSNumber: a raw value of ``MSALInternalError``, or of ``MSALError`` for the codes that do not reach apps directly.
public let MSALInternalErrorCodeKey: String = "MSALInternalErrorCodeKey"
/// Dictionary: the headers of the server's response.
public let MSALHTTPHeadersKey: String = "MSALHTTPHeadersKey"
/// String: the HTTP status of the server's response, in decimal.
public let MSALHTTPResponseCodeKey: String = "MSALHTTPResponseCodeKey"
/// String: the UUID that identifies one request in app, broker and server.
public let MSALCorrelationIDKey: String = "MSALCorrelationIDKey"
/// List of String: the scopes that the server did not grant.
public let MSALDeclinedScopesKey: String = "MSALDeclinedScopesKey"
/// List of String: the scopes that the server granted.
public let MSALGrantedScopesKey: String = "MSALGrantedScopesKey"
/// String: the user name of the account that the error concerns.
public let MSALDisplayableUserIdKey: String = "MSALDisplayableUserIdKey"
/// String: the identifier of the account that the error concerns.
public let MSALHomeAccountIdKey: String = "MSALHomeAccountIdKey"
/// String: the broker's version.
public let MSALBrokerVersionKey: String = "MSALBrokerVersionKey"
/// ``MSALResult``: a result that arrived but is not what was requested, for example because it has fewer scopes.
public let MSALInvalidResultKey: String = "MSALInvalidResultKey"
/// NSNumber 1: the error was returned without a request, because the same request had just failed.
public let MSALThrottlingCacheHitKey: String = "MSALThrottlingCacheHitKey"
