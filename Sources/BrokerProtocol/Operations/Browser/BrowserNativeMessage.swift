// SPDX-License-Identifier: Apache-2.0
package import JSON

/// A request of a browser's extension, sent by its native messaging host: the payload of
/// ``Operation/browserNativeMessage``.
package enum BrowserNativeMessage: Sendable, Equatable {
    /// `GetCookies`: the headers for `uri`, which `sender` wants to open.
    case headers(sender: String, uri: String)
    /// `GetToken`.
    case token(BrowserTokenRequest)
    /// `SignOut`.
    case signOut(sender: String, homeAccountID: String, correlationID: String?)
    /// `browser_native_get_supported_contracts_operation`.
    case supportedContracts

    /// The contracts that pages may use, under the names that pages check for.
    package static let contracts = ["get-sso-cookies", "get-token-and-sign-out"]

    /// Reads the payload of a request.
    ///
    /// - Throws: ``BrokerError``: -51111 with the name of a member that is missing or has the wrong type, -51112 for a
    ///   kind of token that the broker does not issue, -51114 for an unknown method or another protocol version.
    package init(_ map: FlatMap) throws(BrokerError) {
        try ClientRequest.checkVersion(map)
        let text = try map.required(.payload)
        guard let payload = (try? JSONReader.read(Array(text.utf8), limits: Wire.nestedLimits))?.object else {
            throw BrokerError(.invalidParameter, "The payload is not a JSON object within the limits. Send one.")
        }
        let members = BrowserMembers(payload)
        switch try members.text("method") {
        case "GetCookies": self = .headers(sender: try members.text("sender"), uri: try members.text("uri"))
        case "GetToken": self = .token(try BrowserTokenRequest(members))
        case "SignOut":
            let account = try members.text("accountId")
            guard account.split(separator: ".", omittingEmptySubsequences: false).count == 2 else {
                throw BrokerError(
                    .invalidParameter,
                    "accountId does not have the form <object>.<tenant>. Send it in that form.")
            }
            self = .signOut(
                sender: try members.text("sender"), homeAccountID: account,
                correlationID: members.correlationID)
        case "browser_native_get_supported_contracts_operation": self = .supportedContracts
        default:
            throw BrokerError(
                .unsupported, "The method is unknown. Request the supported contracts.")
        }
    }
}

/// A web page's request for a token of its own client (`GetToken`).
package struct BrowserTokenRequest: Sendable, Equatable {
    /// The page that sends the request.
    package let sender: String
    package let clientID: String
    package let scopes: [String]
    package let redirectURI: String
    package let authority: String
    package let homeAccountID: String?
    package let username: String?
    package let claims: String?
    package let state: String?
    package let correlationID: String?

    private static let defaultAuthority = "https://login.microsoftonline.com/common"

    fileprivate init(_ members: BrowserMembers) throws(BrokerError) {
        sender = try members.text("sender")
        guard let request = members.object("request") else {
            throw BrokerError(.invalidParameter, "The payload lacks request. Send it with a value.")
        }
        clientID = try request.text("clientId")
        scopes = try request.text("scope").split(separator: " ").map(String.init)
        redirectURI = try request.text("redirectUri")
        authority = request.optional("authority") ?? Self.defaultAuthority
        homeAccountID = request.optional("accountId")
        username = request.optional("loginHint")
        claims = request.optional("claims")
        state = request.optional("state")
        correlationID = request.correlationID
        let extra = request.object("extraParameters")
        for name in ["nonce", "reqCnf"] where (extra?.optional(name) ?? request.optional(name)) != nil {
            throw BrokerError(.developerParameter, "The broker issues no token with \(name). Leave it out.")
        }
        guard (extra?.optional("tokenType") ?? request.optional("tokenType") ?? "Bearer").lowercased() == "bearer"
        else {
            throw BrokerError(.developerParameter, "The broker issues only tokens of the type Bearer. Request one.")
        }
    }

    /// The request in the form in which apps send it.
    package var tokenRequest: TokenRequest {
        var request = TokenRequest(
            client: ClientRequest(clientID: clientID, correlationID: correlationID), redirectURI: redirectURI,
            authority: authority, scopes: scopes)
        (request.homeAccountID, request.username, request.claims) = (homeAccountID, username, claims)
        return request
    }
}

/// The response to a ``BrowserTokenRequest``: the token and its account.
package struct BrowserTokenResponse: Sendable, Equatable {
    package let token: TokenResponse
    package let account: AccountRecord
    package let state: String?

    package init(token: TokenResponse, account: AccountRecord, state: String?) {
        (self.token, self.account, self.state) = (token, account, state)
    }

    package var payload: JSONValue {
        var members: [String: JSONValue] = token.entries.entries.mapValues(JSONValue.string)
        members["account"] = .object([
            "id": .string(account.homeAccountID), "userName": .string(account.username),
        ])
        members["properties"] = .object(["UPN": .string(account.username)])
        if let state { members["state"] = .string(state) }
        return .object(members)
    }
}

/// The members of a browser's message, as native JSON. An optional value of a different type counts as absent.
private struct BrowserMembers {
    private let members: [String: JSONValue]

    init(_ members: [String: JSONValue]) { self.members = members }

    func text(_ name: String) throws(BrokerError) -> String {
        guard let text = optional(name), !text.isEmpty else {
            throw BrokerError(.invalidParameter, "The payload lacks \(name). Send it with a value.")
        }
        return text
    }

    func optional(_ name: String) -> String? { members[name]?.string }
    func object(_ name: String) -> BrowserMembers? { members[name]?.object.map(BrowserMembers.init) }

    var correlationID: String? {
        FlatMap([Key.correlationID: optional("correlationId") ?? ""]).correlationID
    }
}

extension FlatMap {
    /// The entries of a response to ``BrowserNativeMessage``.
    package static func payload(_ payload: JSONValue) -> FlatMap {
        FlatMap([Key.payload: JSONWriter.text(payload)])
    }

    /// The entries of a response to `SignOut`, whose payload is an empty object.
    package static let emptyPayload = payload(.object([:]))
}
