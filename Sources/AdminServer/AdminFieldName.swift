// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes

/// The header fields of the administration for which HTTPTypes has no constant.
package enum AdminFieldName: String, CaseIterable, Sendable {
    case idempotencyKey = "Idempotency-Key"
    case idempotencyReplayed = "Idempotency-Replayed"
    case link = "Link"

    var field: HTTPField.Name {
        guard let name = HTTPField.Name(rawValue) else { preconditionFailure("\(rawValue) is not a token (RFC 9110)") }
        return name
    }
}

extension HTTPField.Name {
    static let idempotencyKey = AdminFieldName.idempotencyKey.field
    static let idempotencyReplayed = AdminFieldName.idempotencyReplayed.field
    static let link = AdminFieldName.link.field
}
