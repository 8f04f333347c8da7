// SPDX-License-Identifier: Apache-2.0

/// The response to ``Operation/currentAccount``: the current account and the account that this client saw before.
///
/// If a client has several readers (``AccountReader``), each counts as a client here.
///
/// The broker keeps `previousHomeAccountID` pending until the client acknowledges the epoch. A crash between the
/// response and the app's clean-up therefore loses nothing.
package struct CurrentAccount: Sendable, Equatable {
    package let current: AccountRecord?
    /// The account that this client saw before; only its identifier outlives a worker's session.
    package let previousHomeAccountID: String?
    /// The epoch to acknowledge.
    package let epoch: Epoch

    package init(current: AccountRecord?, previousHomeAccountID: String?, epoch: Epoch) {
        self.current = current
        self.previousHomeAccountID = previousHomeAccountID
        self.epoch = epoch
    }

    package var entries: FlatMap { entries(accounts: AccountsResponse.text(current.map { [$0] } ?? [])) }

    /// Returns the entries, with the current account as ``AccountsResponse/text(_:)`` has encoded it.
    package func entries(accounts: String) -> FlatMap {
        var map = FlatMap([.accounts: accounts])
        map[.previousHomeAccountID] = previousHomeAccountID
        map[.epoch] = epoch.description
        return map
    }

    /// - Throws: ``BrokerError`` if the epoch or the accounts cannot be read, or if there is more than one account.
    package init(_ map: FlatMap) throws(BrokerError) {
        try self.init(map, accounts: AccountsResponse(map).accounts)
    }

    /// Reads a response whose accounts were read before.
    ///
    /// - Throws: ``BrokerError`` if the epoch cannot be read, or if there is more than one account.
    package init(_ map: FlatMap, accounts: [AccountRecord]) throws(BrokerError) {
        guard let epoch = Epoch(try map.required(.epoch)) else {
            throw BrokerError(.invalidParameter, "The epoch cannot be read. Update the broker.")
        }
        guard accounts.count <= 1 else {
            throw BrokerError(.internal, "The broker lists more than one current account. Update the broker.")
        }
        self.init(current: accounts.first, previousHomeAccountID: map[.previousHomeAccountID], epoch: epoch)
    }
}

/// A client's acknowledgement of the account change of an epoch (``Operation/acknowledgeAccount``).
package struct Acknowledgement: Sendable, Equatable {
    package let client: ClientRequest
    package let epoch: Epoch
    /// The previous account that the broker has reported and the client has handled.
    package let previousHomeAccountID: String?

    package init(client: ClientRequest, epoch: Epoch, previousHomeAccountID: String?) {
        self.client = client
        self.epoch = epoch
        self.previousHomeAccountID = previousHomeAccountID
    }

    package var entries: FlatMap {
        var map = client.entries
        map[.epoch] = epoch.description
        map[.previousHomeAccountID] = previousHomeAccountID
        return map
    }

    /// - Throws: ``BrokerError`` if there is no client id or the epoch cannot be read.
    package init(_ map: FlatMap) throws(BrokerError) {
        guard let epoch = Epoch(try map.required(.epoch)) else {
            throw BrokerError(.developerParameter, "The epoch cannot be read. Send the epoch that the broker returned.")
        }
        self.init(
            client: try ClientRequest(map), epoch: epoch, previousHomeAccountID: map[.previousHomeAccountID])
    }
}
