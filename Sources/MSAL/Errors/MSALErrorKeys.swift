// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file: AlwaysUseLowerCamelCase
// The names are Microsoft's; apps read errors by them.

/// The domain of the library's errors; codes are ``MSALError``.
public let MSALErrorDomain: String = "MSALErrorDomain"
/// String: cause and remedy, for developers; names no user (ERR-7).
public let MSALErrorDescriptionKey: String = "MSALErrorDescriptionKey"
/// String: a stable word for the cause, such as `signed_in_offline` or `broker_silent`, finer than the codes; Baton's own.
///
/// It is a name of `docs/errors.md`: the broker's reason where it gave one, else the name of the error.
public let BatonReasonKey: String = "BatonReasonKey"
/// String: the server's OAuth error.
public let MSALOAuthErrorKey: String = "MSALOAuthErrorKey"
/// String: the server's suberror.
public let MSALOAuthSubErrorKey: String = "MSALOAuthSubErrorKey"
/// String: what the server says of its suberror.
public let MSALOAuthSubErrorDescriptionKey: String = "MSALOAuthSubErrorDescriptionKey"
/// List of NSNumber: the server's own error codes.
public let MSALSTSErrorCodesKey: String = "MSALSTSErrorCodesKey"
/// NSNumber: a raw value of ``MSALInternalError``, or of ``MSALError`` where that code does not reach apps by itself.
public let MSALInternalErrorCodeKey: String = "MSALInternalErrorCodeKey"
/// Dictionary: the headers of the server's response.
public let MSALHTTPHeadersKey: String = "MSALHTTPHeadersKey"
/// String: the status of the server's response, a number.
public let MSALHTTPResponseCodeKey: String = "MSALHTTPResponseCodeKey"
/// String: the UUID that follows one action through app, broker and server.
public let MSALCorrelationIDKey: String = "MSALCorrelationIDKey"
/// List of String: the scopes that the server did not grant.
public let MSALDeclinedScopesKey: String = "MSALDeclinedScopesKey"
/// List of String: the scopes that the server granted.
public let MSALGrantedScopesKey: String = "MSALGrantedScopesKey"
/// String: the user name of the account that an error is about.
public let MSALDisplayableUserIdKey: String = "MSALDisplayableUserIdKey"
/// String: the identifier of the account that an error is about.
public let MSALHomeAccountIdKey: String = "MSALHomeAccountIdKey"
/// String: the broker's version.
public let MSALBrokerVersionKey: String = "MSALBrokerVersionKey"
/// ``MSALResult``: tokens that came and are not what was asked, such as ones for fewer scopes.
public let MSALInvalidResultKey: String = "MSALInvalidResultKey"
/// NSNumber 1: the error was given again without asking, since the same request had just failed.
public let MSALThrottlingCacheHitKey: String = "MSALThrottlingCacheHitKey"
