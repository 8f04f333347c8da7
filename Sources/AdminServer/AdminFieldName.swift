// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes

/// The header fields of the administration for which HTTPTypes has no constant.
package enum AdminFieldName: String, HeaderFieldName {
    case fetchSite = "Sec-Fetch-Site"
    case idempotencyKey = "Idempotency-Key"
    case idempotencyReplayed = "Idempotency-Replayed"
    case link = "Link"
    case requestID = "Request-Id"
}

extension HTTPField.Name {
    static let idempotencyKey = AdminFieldName.idempotencyKey.field
    static let idempotencyReplayed = AdminFieldName.idempotencyReplayed.field
    static let link = AdminFieldName.link.field
}
