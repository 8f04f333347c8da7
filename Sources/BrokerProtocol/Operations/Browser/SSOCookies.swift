// SPDX-License-Identifier: Apache-2.0
package import JSON

/// A request for the headers that sign a browser in at an address: ``Operation/getSSOCookies``.
package struct SSOCookiesRequest: Sendable, Equatable {
    /// The kinds of headers that are requested (`types_of_header`).
    package struct Headers: OptionSet, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        package static let primaryRefreshToken = Headers(rawValue: 1)
        package static let deviceRegistration = Headers(rawValue: 2)
        package static let all: Headers = [.primaryRefreshToken, .deviceRegistration]

        /// Reads a comma-separated list of numbers; 0 means all. Returns nil if the list is empty or contains an
        /// unknown number.
        init?(text: String) {
            self = []
            for number in text.split(separator: ",", omittingEmptySubsequences: false) {
                switch number.drop(while: { $0 == " " }) {
                case "0": formUnion(.all)
                case "1": insert(.primaryRefreshToken)
                case "2": insert(.deviceRegistration)
                default: return nil
                }
            }
        }
    }

    package let url: String
    /// The requested account; nil for the signed-in account.
    package let homeAccountID: String?
    package let headers: Headers

    /// Reads a request.
    ///
    /// Checks the members in the same order as Microsoft's broker.
    ///
    /// - Throws: ``BrokerError``: -51111 or -51114 for the protocol version; -51100 if the address is missing, if the
    ///   account has no `home_account_id`, or if the types are missing or unreadable.
    package init(_ map: FlatMap) throws(BrokerError) {
        try ClientRequest.checkVersion(map)
        guard let url = map[.ssoURL], !url.allSatisfy({ $0 == " " }) else {
            throw BrokerError(.internal, "The request lacks sso_url. Send the address that the browser opens.")
        }
        homeAccountID = map[.homeAccountID]
        guard homeAccountID?.isEmpty == false || (homeAccountID == nil && map[.username] == nil) else {
            throw BrokerError(.internal, "The request's account lacks home_account_id. Send it, or no account.")
        }
        guard let headers = map[.typesOfHeader].flatMap(Headers.init(text:)) else {
            throw BrokerError(.internal, "types_of_header cannot be read. Send 0 for all, 1 or 2.")
        }
        (self.url, self.headers) = (url, headers)
    }
}

/// The headers that sign a browser in: the response to ``SSOCookiesRequest`` and to `GetCookies` of
/// ``BrowserNativeMessage``.
package struct SSOHeaders: Sendable, Equatable {
    /// A header's name and value.
    package struct Header: Sendable, Equatable {
        package let name: String
        package let value: String

        package init(name: String, value: String) { (self.name, self.value) = (name, value) }

        fileprivate var json: JSONValue { .object([name: .string(value)]) }
        fileprivate var entry: JSONValue { .object([Member.name: .string(name), Member.data: .string(value)]) }
    }

    /// The header with the credential of the primary refresh token.
    package let token: Header?
    package let homeAccountID: String
    package let username: String
    /// The header with the credential of the device key.
    package let device: Header?
    package let tenantID: String

    package init(token: Header?, homeAccountID: String, username: String, device: Header?, tenantID: String) {
        (self.token, self.homeAccountID, self.username) = (token, homeAccountID, username)
        (self.device, self.tenantID) = (device, tenantID)
    }

    private enum Member {
        static let primary = "prt_headers"
        static let device = "device_headers"
        static let header = "header"
        static let displayableID = "displayable_id"
        static let tenantID = "tenant_id"
        static let response = "response"
        static let name = "name"
        static let data = "data"
    }

    /// The entries of a response to ``SSOCookiesRequest``.
    package var entries: FlatMap {
        var members: [String: JSONValue] = [:]
        if let token {
            members[Member.primary] = .array([
                .object([
                    Member.header: token.json, Key.homeAccountID.rawValue: .string(homeAccountID),
                    Member.displayableID: .string(username),
                ])
            ])
        }
        if let device {
            members[Member.device] = .array([
                .object([Member.header: device.json, Member.tenantID: .string(tenantID)])
            ])
        }
        return FlatMap([Key.ssoCookies: JSONWriter.text(.object(members))])
    }

    /// The payload of a response to `GetCookies`. The device's header is included only together with the token's.
    package var payload: JSONValue {
        let headers = token.map { [$0, device].compactMap(\.self) } ?? []
        return .object([Member.response: .array(headers.map(\.entry))])
    }
}
