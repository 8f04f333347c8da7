// SPDX-License-Identifier: Apache-2.0

/// A request to delete the tokens that the broker holds for one client, and to record that the client removed the
/// account. It does not sign anybody out.
package struct RemoveAccountRequest: Sendable, Equatable {
    package let client: ClientRequest
    /// The account's identifier. Either this or the user name must be given.
    package let homeAccountID: String?
    package let username: String?

    /// - Returns: nil if neither an identifier nor a user name is given.
    package init?(client: ClientRequest, homeAccountID: String?, username: String?) {
        guard homeAccountID != nil || username != nil else { return nil }
        self.client = client
        self.homeAccountID = homeAccountID
        self.username = username
    }

    package var entries: FlatMap {
        var map = client.entries
        map[.homeAccountID] = homeAccountID
        map[.username] = username
        return map
    }

    /// - Throws: ``BrokerError`` -51111 if the client id is missing, or if both the identifier and the user name are
    ///   missing.
    package init(_ map: FlatMap) throws(BrokerError) {
        let client = try ClientRequest(map)
        guard
            let request = RemoveAccountRequest(
                client: client, homeAccountID: map.text(.homeAccountID), username: map.text(.username))
        else { throw .missing(.homeAccountID) }
        self = request
    }

    /// Whether the request refers to this account.
    package func means(_ account: AccountRecord) -> Bool {
        if let homeAccountID { return homeAccountID.lowercased() == account.homeAccountID }
        return username?.lowercased() == account.username.lowercased()
    }
}
