// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import JSON

/// The members of a JSON object that came as base64url, read within limits.
struct ClaimSet {
    private let members: [String: JSONValue]

    /// The text of a member.
    subscript(name: String) -> String? { members[name]?.string }

    /// The payload of a JWT (RFC 7519 section 3), whose signature is the broker's business.
    init(payloadOf token: String) throws(BrokerError) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw .unreadable("id_token") }
        try self.init(base64URL: String(parts[1]), name: "id_token")
    }

    /// An object, with the name to complain about.
    init(base64URL text: String, name: String) throws(BrokerError) {
        let standard = text.replacing("-", with: "+").replacing("_", with: "/")
        let padded = standard + String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: padded),
            let members = try? JSONReader.read([UInt8](data), limits: Wire.nestedLimits).object
        else { throw .unreadable(name) }
        self.members = members
    }

    /// Takes a JSON object; nil for any other value.
    init?(_ value: JSONValue?) {
        guard let members = value?.object else { return nil }
        self.members = members
    }

    /// The members as apps read claims: texts, numbers, truth values, lists and dictionaries of them.
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
        BrokerError(.internal, "The broker's \(name) cannot be read. Update library and broker.")
    }
}
