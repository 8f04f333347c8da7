// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import JSON

/// The members of a JSON object that arrived base64url-encoded, read within limits.
struct ClaimSet {
    private let members: [String: JSONValue]

    /// The member `name` as a string; nil if it is missing or of a different type.
    subscript(name: String) -> String? { members[name]?.string }

    /// Decodes the payload of a JWT (RFC 7519 section 3). The signature is not checked: the broker has checked it.
    init(payloadOf token: String) throws(BrokerError) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw .unreadable("id_token") }
        try self.init(base64URL: String(parts[1]), name: "id_token")
    }

    /// Decodes a JSON object; `name` appears in the error message.
    init(base64URL text: String, name: String) throws(BrokerError) {
        let standard = text.replacing("-", with: "+").replacing("_", with: "/")
        let padded = standard + String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: padded),
            let members = try? JSONReader.read([UInt8](data), limits: Wire.nestedLimits).object
        else { throw .unreadable(name) }
        self.members = members
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
