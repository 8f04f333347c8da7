// SPDX-License-Identifier: Apache-2.0
package import HTTPTypes

/// The header fields that the platform reads or writes and for which HTTPTypes has no constant.
///
/// Each name is defined only here, so a route that misspells a name does not compile. A misspelt string literal could
/// name a different header, and a check could be skipped.
package enum HTTPFieldName: String, CaseIterable, Sendable {
    case clientRequestID = "client-request-id"
    case deviceCredential = "x-ms-DeviceCredential"
    case frameOptions = "X-Frame-Options"
    case pragma = "Pragma"
    case referrerPolicy = "Referrer-Policy"
    case refreshTokenCredential = "x-ms-RefreshTokenCredential"
    case replayNonce = "Replay-Nonce"
    case requestID = "x-ms-request-id"

    /// The name as a value of the type that HTTPTypes uses.
    package var field: HTTPField.Name {
        guard let name = HTTPField.Name(rawValue) else { preconditionFailure("\(rawValue) is not a token (RFC 9110)") }
        return name
    }
}

extension HTTPField.Name {
    static let clientRequestID = HTTPFieldName.clientRequestID.field
    static let deviceCredential = HTTPFieldName.deviceCredential.field
    static let frameOptions = HTTPFieldName.frameOptions.field
    static let pragma = HTTPFieldName.pragma.field
    static let referrerPolicy = HTTPFieldName.referrerPolicy.field
    static let refreshTokenCredential = HTTPFieldName.refreshTokenCredential.field
    static let replayNonce = HTTPFieldName.replayNonce.field
    static let requestID = HTTPFieldName.requestID.field
}
