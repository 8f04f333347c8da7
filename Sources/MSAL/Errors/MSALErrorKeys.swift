// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file: AlwaysUseLowerCamelCase
// The names are Microsoft's; apps read errors by them.

/// The domain of the library's errors; codes are ``MSALError``.
public let MSALErrorDomain: String = "MSALErrorDomain"
/// String: cause and remedy, for developers; names no user.
public let MSALErrorDescriptionKey: String = "MSALErrorDescriptionKey"
/// String: the server's OAuth error.
public let MSALOAuthErrorKey: String = "MSALOAuthErrorKey"
/// String: the server's suberror.
public let MSALOAuthSubErrorKey: String = "MSALOAuthSubErrorKey"
/// NSNumber: a raw value of ``MSALInternalError``, or of ``MSALError`` where that code does not reach apps by itself.
public let MSALInternalErrorCodeKey: String = "MSALInternalErrorCodeKey"
/// String: the UUID that follows one action through app, broker and server.
public let MSALCorrelationIDKey: String = "MSALCorrelationIDKey"
