// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import Encodings
internal import JSON
public import MSAL

/// A worker who signs in on a ``TestDevice``.
public struct TestWorker: Sendable, Hashable {
    /// The user name for signing in, such as `amara@contoso.example`.
    public let username: String
    /// The display name.
    public let name: String
    /// The object id, a UUID.
    public let objectId: String
    /// The home tenant, a UUID.
    public let tenantId: String

    /// The default tenant of workers.
    public static let tenantId = "11111111-2222-3333-4444-555555555555"

    /// Makes a worker. Two workers with the same user name have the same object id.
    public init(_ username: String, name: String? = nil, tenantId: String = Self.tenantId) {
        self.username = username
        self.name = name ?? String(username.prefix { $0 != "@" })
        self.objectId = Self.objectId(username.lowercased())
        self.tenantId = tenantId
    }

    /// The account's identifier, `<object id>.<tenant id>`.
    public var identifier: String { "\(objectId).\(tenantId)" }

    /// The account as the library makes it from the broker's answer, for code that takes an account.
    public var account: MSALAccount { MSALAccount(record) }

    /// Returns a token result as the library makes it from the broker's answer, for code that takes a result.
    ///
    /// - Throws: an error if no broker could return such an `accessToken` or such `scopes`.
    public func result(
        scopes: [String] = ["User.Read"], accessToken: String = "test-token", expiresOn: Date = .distantFuture
    ) throws -> MSALResult {
        let response = token(accessToken, scopes: scopes, expiresOn: min(expiresOn, Self.latest))
        return try MSALResult(TokenResponse(response.entries), correlation: UUID())
    }

    /// The latest time whose seconds since 1970 every reader accepts (the year 9999).
    private static let latest = Date(timeIntervalSince1970: 253_402_300_799)

    /// A UUID derived from the name, the same in every run (FNV-1a, twice).
    private static func objectId(_ text: String) -> String {
        let halves = [UInt64(0xcbf2_9ce4_8422_2325), 0x6c62_272e_07bb_0142].map { start in
            text.utf8.reduce(start) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        }
        let digits = halves.map { Hexadecimal.text($0) }.joined()
        let lengths = [8, 4, 4, 4, 12]
        var rest = Substring(digits)
        return lengths.map { length in
            defer { rest = rest.dropFirst(length) }
            return String(rest.prefix(length))
        }.joined(separator: "-")
    }
}

extension TestWorker {
    /// The host of the identity platform in tokens and accounts.
    static let host = "login.example.test"

    /// The account as the broker sends it.
    var record: AccountRecord {
        AccountRecord(
            homeAccountID: identifier, localAccountID: objectId, realm: tenantId, environment: Self.host,
            username: username, name: name, idTokenClaims: claims)
    }

    private var claims: JSONValue {
        .object([
            "oid": .string(objectId), "tid": .string(tenantId), "preferred_username": .string(username),
            "name": .string(name),
        ])
    }

    /// The token response as the broker sends it. The id token has no valid signature; the library does not check it.
    func token(_ accessToken: String, scopes: [String], expiresOn: Date) -> TokenResponse {
        let owner = JSONValue.object(["uid": .string(objectId), "utid": .string(tenantId)])
        return TokenResponse(
            authority: "https://\(Self.host)/\(tenantId)", accessToken: accessToken,
            idToken: "e30.\(Self.base64URL(claims)).dGVzdA", scopes: scopes,
            expiresOn: Int(expiresOn.timeIntervalSince1970), clientInfo: Self.base64URL(owner))
    }

    private static func base64URL(_ value: JSONValue) -> String {
        Data(JSONWriter.write(value)).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }
}
