// SPDX-License-Identifier: Apache-2.0

/// The answer to ``Operation/currentAccount``: who is signed in now, and whom this client saw before.
///
/// What is said of a client here is said of each of its readers (``AccountReader``).
///
/// The broker keeps `previousHomeAccountID` pending until the client acknowledges the epoch, so that a crash between
/// the answer and the app's clean-up loses nothing.
package struct CurrentAccount: Sendable, Equatable {
    package let current: AccountRecord?
    /// The account that this client last acknowledged; only its identifier outlives a worker's session.
    package let previousHomeAccountID: String?
    /// What to acknowledge.
    package let epoch: Epoch

    package init(current: AccountRecord?, previousHomeAccountID: String?, epoch: Epoch) {
        self.current = current
        self.previousHomeAccountID = previousHomeAccountID
        self.epoch = epoch
    }

    package var entries: FlatMap {
        var map = AccountsResponse(accounts: current.map { [$0] } ?? []).entries
        map[.previousHomeAccountID] = previousHomeAccountID
        map[.epoch] = epoch.description
        return map
    }

    /// - Throws: ``BrokerError`` where the epoch or the accounts cannot be read, or more than one account is there.
    package init(_ map: FlatMap) throws(BrokerError) {
        guard let epoch = Epoch(try map.required(.epoch)) else {
            throw BrokerError(.invalidParameter, "The epoch cannot be read. Update the broker.")
        }
        let accounts = try AccountsResponse(map).accounts
        guard accounts.count <= 1 else {
            throw BrokerError(.internal, "The broker lists more than one current account. Update the broker.")
        }
        self.init(current: accounts.first, previousHomeAccountID: map[.previousHomeAccountID], epoch: epoch)
    }
}

/// A client's acknowledgement of the account of an epoch (``Operation/acknowledgeAccount``).
package struct Acknowledgement: Sendable, Equatable {
    package let client: ClientRequest
    package let epoch: Epoch
    /// The previous account that the client was told of and has dealt with.
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

    /// - Throws: ``BrokerError`` without a client id or with an epoch that cannot be read.
    package init(_ map: FlatMap) throws(BrokerError) {
        guard let epoch = Epoch(try map.required(.epoch)) else {
            throw BrokerError(.invalidParameter, "The epoch cannot be read. Send the one that the broker gave.")
        }
        self.init(
            client: try ClientRequest(map), epoch: epoch, previousHomeAccountID: map[.previousHomeAccountID])
    }
}
