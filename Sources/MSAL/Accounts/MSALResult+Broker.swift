// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import JSON

extension MSALResult {
    /// Reads a token response of the broker, which has checked the id token already.
    ///
    /// - Throws: `BrokerError` where authority, client info or id token cannot be read.
    convenience init(_ response: TokenResponse, correlation: UUID) throws(BrokerError) {
        guard let url = URL(string: response.authority), let address = try? AuthorityURL(url) else {
            throw .unreadable("authority")
        }
        let owner = try JSONObject(base64URL: response.clientInfo, name: "client_info")
        let claims = try JSONObject(payloadOf: response.idToken)
        guard let object = owner["uid"], let tenant = owner["utid"], !object.isEmpty, !tenant.isEmpty else {
            throw .unreadable("client_info")
        }
        let authority = MSALAADAuthority(normalized: address.normalized)
        self.init(
            accessToken: response.accessToken,
            account: MSALAccount(
                identifier: "\(object).\(tenant)", username: claims["preferred_username"] ?? claims["upn"],
                environment: authority.host),
            expiresOn: Date(timeIntervalSince1970: Double(response.expiresOn)), idToken: response.idToken,
            scopes: response.scopes, authority: authority, correlationId: correlation)
    }
}

extension MSALAuthority {
    /// The host of the identity platform.
    var host: String { url.host ?? "" }
}

/// The texts of a JSON object that came as base64url, read within limits.
private struct JSONObject {
    private let members: [String: JSONValue]

    subscript(name: String) -> String? { members[name]?.string }

    /// The payload of a JWT (RFC 7519 section 3), whose signature is the broker's business.
    init(payloadOf token: String) throws(BrokerError) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw .unreadable("id_token") }
        try self.init(base64URL: String(parts[1]), name: "id_token")
    }

    init(base64URL text: String, name: String) throws(BrokerError) {
        let standard = text.replacing("-", with: "+").replacing("_", with: "/")
        let padded = standard + String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: padded),
            let members = try? JSONReader.read([UInt8](data), limits: Wire.nestedLimits).object
        else { throw .unreadable(name) }
        self.members = members
    }
}

extension BrokerError {
    fileprivate static func unreadable(_ name: String) -> BrokerError {
        BrokerError(.internal, "The broker's \(name) cannot be read. Update library and broker.")
    }
}
