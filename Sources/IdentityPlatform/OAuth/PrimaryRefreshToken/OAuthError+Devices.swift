// SPDX-License-Identifier: Apache-2.0
internal import OAuth

/// Refusals of requests signed by a device or with a primary refresh token.
extension OAuthError {
    static let malformedSignedRequest = OAuthError(
        .invalidRequest, number: 9002313, description: "The signed request is malformed, or lacks a member.")
    static let wrongSignature = OAuthError(
        .invalidGrant, number: 50013, description: "The signature of the request is wrong.",
        suberror: Suberror.deviceAuthenticationFailed)
    static let staleNonce = OAuthError(
        .invalidGrant, number: 5000611, description: "The nonce is not fresh. Request a new one and sign again.",
        suberror: Suberror.staleNonce)
    static let replayedRequest = OAuthError(
        .invalidGrant, number: 5000612, description: "This request has already been answered. Sign a new request.",
        suberror: Suberror.replayedRequest)
    static let unknownDevice = OAuthError(
        .invalidGrant, number: unknownDeviceNumber,
        description: "Device authentication failed: the certificate is not that of a registered device.",
        suberror: Suberror.deviceAuthenticationFailed)
    static let disabledDevice = OAuthError(
        .invalidGrant, number: 135011, description: "The device is disabled.",
        suberror: Suberror.deviceAuthenticationFailed)
    static let staleEpoch = OAuthError(
        .invalidGrant, number: 5000613, description: "The device has left this epoch. Begin a new sign-in.",
        suberror: Suberror.staleEpoch)
    static let epochRequired = OAuthError(
        .invalidRequest, number: 900144, description: "A shared device has to name its epoch.")
    static let primaryScopeRequired = OAuthError(
        .invalidScope, number: 70011, description: "The scope must contain openid and aza.")
    static let unsupportedDialect = OAuthError(
        .invalidRequest, number: 5000617,
        description:
            "The version of the request is not served; use windows_api_version 2.x or prt_protocol_version 3.0.")
    static let curveTransportKey = OAuthError(
        .invalidRequest, number: 5000618,
        description: "The device was joined with a transport key on an elliptic curve. Join it with an RSA key.")
    static let badAssertion = OAuthError(
        .invalidGrant, number: 135004,
        description: "The assertion is invalid or too old, or its key is not registered for this person on this "
            + "device.")
    static let renewedToken = OAuthError(
        .invalidGrant, number: 70000,
        description: "The primary refresh token has been renewed. Use the new one.",
        suberror: Suberror.badToken)
    static let notABroker = OAuthError(
        .unauthorizedClient, number: unknownClientNumber,
        description: "The application may not have primary refresh tokens: it is not registered as a broker.")
    static let passwordProofOff = OAuthError(
        .unsupportedGrantType, number: 70003,
        description: "A primary refresh token is not issued for a password. Use a refresh token.")
    static let keyDerivationRequired = OAuthError(
        .invalidGrant, number: 50013, description: "Key derivation version 2 (kdf_ver) is required.",
        suberror: Suberror.badToken)
    static let wrongAudience = OAuthError(
        .invalidRequest, number: 5000615,
        description: "The signed request is meant for another address (aud). Sign one for this server and tenant.")
    static let wrongIssuer = OAuthError(
        .invalidRequest, number: 5000616,
        description: "The device in the signed request (iss) differs from the device in its certificate. Use the "
            + "device id of the certificate.")
}
