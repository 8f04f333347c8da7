// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import JSON

/// The claims of a token, or the members of `client_info`. Input that is too large or too deeply nested is refused.
struct ClaimSet {
    private let members: [String: JSONValue]

    /// The member `name` as a string; nil if it is missing or of a different type.
    subscript(name: String) -> String? { members[name]?.string }

    /// Decodes the payload of a JWT (RFC 7519 section 3). The signature is not checked here, because the broker has
    /// already checked it.
    init(payloadOf token: String) throws(BrokerError) {
        guard let object = EncodedObject(payloadOf: token) else { throw .unreadable("id_token") }
        members = object.members
    }

    /// Decodes a base64url-encoded JSON object; `name` appears in the error message.
    init(base64URL text: String, name: String) throws(BrokerError) {
        guard let object = EncodedObject(text) else { throw .unreadable(name) }
        members = object.members
    }

    /// Takes a JSON object; returns nil for any other value.
    init?(_ value: JSONValue?) {
        guard let members = value?.object else { return nil }
        self.members = members
    }

    /// The members as the values that apps get: strings, numbers, booleans, `NSNull`, and arrays and dictionaries of
    /// these.
    var forApps: [String: Any] { members.mapValues(\.forApps) }
}

extension JSONValue {
    fileprivate var forApps: Any {
        switch self {
        case .null: NSNull()
        case .bool(let value): value
        case .integer(let value): value
        case .number(let value): value
        case .string(let value): value
        case .array(let elements): elements.map(\.forApps)
        case .object(let members): members.mapValues(\.forApps)
        }
    }
}

extension BrokerError {
    static func unreadable(_ name: String) -> BrokerError {
        BrokerError(.internal, "The broker's \(name) cannot be read. Update the library and the broker.")
    }
}
