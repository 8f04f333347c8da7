// SPDX-License-Identifier: Apache-2.0
package import JSON

/// A worker's account as the broker sends it to apps.
package struct AccountRecord: Sendable, Equatable {
    /// `<object id>.<tenant id>`.
    package let homeAccountID: String
    package let localAccountID: String
    /// The tenant id.
    package let realm: String
    /// The host of the identity platform.
    package let environment: String
    package let username: String
    package let name: String?
    package let givenName: String?
    package let familyName: String?
    /// The base64url of `{"uid","utid"}`.
    package let clientInfo: String?
    /// The claims of the id token, a JSON object.
    package let idTokenClaims: JSONValue?

    package init(
        homeAccountID: String, localAccountID: String, realm: String, environment: String, username: String,
        name: String? = nil, givenName: String? = nil, familyName: String? = nil, clientInfo: String? = nil,
        idTokenClaims: JSONValue? = nil
    ) {
        self.homeAccountID = homeAccountID
        self.localAccountID = localAccountID
        self.realm = realm
        self.environment = environment
        self.username = username
        self.name = name
        self.givenName = givenName
        self.familyName = familyName
        self.clientInfo = clientInfo
        self.idTokenClaims = idTokenClaims
    }
}

extension AccountRecord {
    package var json: JSONValue {
        var members: [Key: JSONValue] = [
            .homeAccountID: .string(homeAccountID), .localAccountID: .string(localAccountID), .realm: .string(realm),
            .environment: .string(environment), .username: .string(username), .accountType: .string("AAD"),
            .isSSOAccount: .string("1"),
        ]
        members[.name] = name.map(JSONValue.string)
        members[.givenName] = givenName.map(JSONValue.string)
        members[.familyName] = familyName.map(JSONValue.string)
        members[.clientInfo] = clientInfo.map(JSONValue.string)
        members[.idTokenClaims] = idTokenClaims
        return .object(Dictionary(uniqueKeysWithValues: members.map { ($0.key.rawValue, $0.value) }))
    }

    /// Reads one element of `accounts`; returns nil if it does not identify an account.
    package init?(json: JSONValue) {
        guard let members = json.object else { return nil }
        func text(_ key: Key) -> String? { members[key.rawValue]?.string }
        guard let homeAccountID = text(.homeAccountID), let username = text(.username) else { return nil }
        self.init(
            homeAccountID: homeAccountID, localAccountID: text(.localAccountID) ?? "", realm: text(.realm) ?? "",
            environment: text(.environment) ?? "", username: username, name: text(.name), givenName: text(.givenName),
            familyName: text(.familyName), clientInfo: text(.clientInfo),
            idTokenClaims: members[Key.idTokenClaims.rawValue])
    }
}

/// The response to ``Operation/getAccounts``.
package struct AccountsResponse: Sendable, Equatable {
    package let accounts: [AccountRecord]
    /// The signed-in account that the client removed; nil if there is none.
    package let removedHomeAccountID: String?

    package init(accounts: [AccountRecord], removedHomeAccountID: String? = nil) {
        self.accounts = accounts
        self.removedHomeAccountID = removedHomeAccountID
    }

    package var entries: FlatMap {
        var map = FlatMap([.accounts: Self.text(accounts)])
        map[.removedHomeAccountID] = removedHomeAccountID
        return map
    }

    /// Returns the value of `accounts`.
    package static func text(_ accounts: [AccountRecord]) -> String { JSONWriter.text(.array(accounts.map(\.json))) }

    /// Reads the accounts of a response; an empty value means no accounts.
    ///
    /// - Throws: ``BrokerError`` if the list or one of its accounts cannot be read.
    package init(_ map: FlatMap) throws(BrokerError) {
        guard let text = map[.accounts], !text.isEmpty else {
            self.init(accounts: [])
            return
        }
        let elements = (try? JSONReader.read(Array(text.utf8), limits: Wire.nestedLimits))?.array
        let accounts = elements?.compactMap(AccountRecord.init(json:))
        // An unreadable account must not count as no account.
        guard let accounts, accounts.count == elements?.count else {
            throw BrokerError(.invalidParameter, "The broker's list of accounts cannot be read. Update the broker.")
        }
        self.init(accounts: accounts, removedHomeAccountID: map[.removedHomeAccountID])
    }
}
