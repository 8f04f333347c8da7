// SPDX-License-Identifier: Apache-2.0
package import HTTPTypes

/// The header fields of the administration for which HTTPTypes has no constant.
package enum AdminFieldName: String, CaseIterable, Sendable {
    case fetchSite = "Sec-Fetch-Site"
    case idempotencyKey = "Idempotency-Key"
    case idempotencyReplayed = "Idempotency-Replayed"
    case link = "Link"
    case requestID = "Request-Id"

    /// The name as a value of the type that HTTPTypes uses.
    package var field: HTTPField.Name {
        guard let name = HTTPField.Name(rawValue) else { preconditionFailure("\(rawValue) is not a token (RFC 9110)") }
        return name
    }
}

extension HTTPField.Name {
    static let idempotencyKey = AdminFieldName.idempotencyKey.field
    static let idempotencyReplayed = AdminFieldName.idempotencyReplayed.field
    static let link = AdminFieldName.link.field
}
