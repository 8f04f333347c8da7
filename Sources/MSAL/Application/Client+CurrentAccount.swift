// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol

/// Who is signed in now, whom this app saw before, and the epoch to acknowledge once the app has dealt with it.
struct AccountChange: Sendable {
    let current: MSALAccount?
    let previous: MSALAccount?
    let epoch: Epoch

    /// Whether the account that the app saw before is another than the present one.
    var isChange: Bool { previous.map { $0.identifier != current?.identifier } ?? false }
}

extension Client {
    /// Asks who is signed in.
    ///
    /// The broker keeps the former account pending until ``acknowledge(_:_:complete:)``. A change that was handed to
    /// `async` code is acknowledged first: its app has dealt with it by now.
    func currentAccount(
        _ correlation: UUID, complete: @escaping @Sendable (Result<AccountChange, Fault>) -> Void
    ) {
        guard let handled = broker.unconfirmed.take(id) else { return askCurrentAccount(correlation, complete) }
        acknowledge(handled, correlation) { askCurrentAccount(correlation, complete) }
    }

    private func askCurrentAccount(
        _ correlation: UUID, _ complete: @escaping @Sendable (Result<AccountChange, Fault>) -> Void
    ) {
        ask(.currentAccount, request(correlation).entries) { [environment = authority.host] outcome in
            complete(
                outcome.read { map, _ throws(BrokerError) in
                    guard try AccountsResponse(map).accounts.count <= 1 else {
                        throw BrokerError(.multipleAccounts, "The broker lists several accounts. Update the broker.")
                    }
                    return AccountChange(try CurrentAccount(map), environment: environment)
                })
        }
    }

    /// Remembers that `async` code gets this change now, which nobody sees it finish with: the next query acknowledges it.
    func keepUnconfirmed(_ change: AccountChange) { broker.unconfirmed.put(change, for: id) }

    /// Tells the broker that the app has dealt with a change, so that it is reported until then, and once (CUR-5).
    ///
    /// Nobody can act on a failure: the broker reports the change again. `complete` runs in any case.
    func acknowledge(
        _ change: AccountChange, _ correlation: UUID, complete: @escaping @Sendable () -> Void = {}
    ) {
        let acknowledgement = Acknowledgement(
            client: request(correlation), epoch: change.epoch, previousHomeAccountID: change.previous?.identifier)
        ask(.acknowledgeAccount, acknowledgement.entries, within: Self.patience) { _ in complete() }
    }
}

extension AccountChange {
    init(_ answer: CurrentAccount, environment: String) {
        let current = answer.current.map(MSALAccount.init(_:))
        let previous = answer.previousHomeAccountID.map { identifier in
            // Of a worker who has signed out only the identifier is kept.
            MSALAccount(
                identifier: identifier, username: current?.identifier == identifier ? current?.username : nil,
                environment: environment)
        }
        self.init(current: current, previous: previous, epoch: answer.epoch)
    }
}
