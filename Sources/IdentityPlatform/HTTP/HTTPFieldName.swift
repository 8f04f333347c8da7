// SPDX-License-Identifier: Apache-2.0
internal import AdminServer
internal import HTTPTypes

/// The header fields that the platform reads or writes and for which HTTPTypes has no constant.
package enum HTTPFieldName: String, HeaderFieldName {
    case clientRequestID = "client-request-id"
    case deviceCredential = "x-ms-DeviceCredential"
    case frameOptions = "X-Frame-Options"
    case pragma = "Pragma"
    case referrerPolicy = "Referrer-Policy"
    case refreshTokenCredential = "x-ms-RefreshTokenCredential"
    case replayNonce = "Replay-Nonce"
    case requestID = "x-ms-request-id"
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
