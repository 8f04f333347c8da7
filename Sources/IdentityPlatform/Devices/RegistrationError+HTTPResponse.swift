// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import OAuth

extension RegistrationError {
    /// The error as device registration answers it.
    var response: Response {
        var response = Response(status: status, json: encoded)
        if code == .authenticationRequired { response.headers[.wwwAuthenticate] = "Bearer" }
        return response
    }

    private var status: HTTPResponse.Status {
        switch code {
        case .authenticationRequired: .unauthorized
        case .authorizationFailed: .forbidden
        case .internalError: .internalServerError
        default: .badRequest
        }
    }

    static let malformed = RegistrationError(
        .badRequest, "The request is not a join of this protocol: see the API version and the keys.")
    static let unsupportedVersion = RegistrationError(
        .unsupportedVersion, "The API version is not served; use 2.0 with RSA keys.")
    static let unauthenticated = RegistrationError(
        .authenticationRequired, "A valid access token for device registration is required. Sign in again.")
    static let unknownTenant = RegistrationError(.unknownTenant, "The tenant was not found.")
    static let fault = RegistrationError(.internalError, "The server failed. Try again.")
}
