// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import OAuth

extension RegistrationError {
    /// The error as a device registration response.
    var response: Response {
        var response = Response(status: status, json: encoded)
        if code == .authenticationRequired { response.headers[.wwwAuthenticate] = "Bearer" }
        return response
    }

    private var status: HTTPResponse.Status {
        switch code {
        case .authenticationRequired, .certificateRequired: .unauthorized
        case .authorizationFailed: .forbidden
        case .internalError: .internalServerError
        case .temporarilyUnavailable: .serviceUnavailable
        default: .badRequest
        }
    }

    static let malformed = RegistrationError(
        .badRequest, "The request is not a valid join request. Check the API version and the keys.")
    static let unsupportedVersion = RegistrationError(
        .unsupportedVersion, "The API version is not served; join with 2.0 (RSA keys) or 3.0 (keys on P-256).")
    static let unusableKey = RegistrationError(
        .badRequest,
        "The device key must be an RSA key of 2048 to 4096 bits, or with API version 3.0 one on the curve P-256.")
    static let certificateRequired = RegistrationError(
        .certificateRequired, "The device must present its own certificate in the TLS handshake.")
    static let ownDeviceRequired = RegistrationError(
        .authorizationFailed,
        "A personal key can be registered only on the person's own device. Sign in there first.")
    static let malformedKey = RegistrationError(
        .badRequest, "The request contains no RSA key of 2048 to 4096 bits in kngc.")
    static let signedInAtOtherScreen = RegistrationError(
        .authorizationFailed,
        "A sign-in by device code cannot register a device. Sign in with a browser on the device itself.")
    static let disabledDevice = RegistrationError(
        .authorizationFailed, "The device is disabled. Have an administrator remove it.")
    static let unauthenticated = RegistrationError(
        .authenticationRequired, "A valid access token for device registration is required. Sign in again.")
    static let unknownTenant = RegistrationError(.unknownTenant, "The tenant was not found.")
    static let unavailable = RegistrationError(
        .temporarilyUnavailable, "The server cannot use its database at this moment. Try again shortly.")
    static let fault = RegistrationError(.internalError, "The server failed. Try again.")
}
