// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol

/// The current account, the account that this app saw before, and the epoch to acknowledge once the app has handled the
/// change.
struct AccountChange: Sendable {
    let current: MSALAccount?
    let previous: MSALAccount?
    let epoch: Epoch
    /// Whether the broker reports this change until the app acknowledges it.
    let isReported: Bool
    /// Whether the account that the app saw before differs from the current account; false if the app saw none.
    let isChange: Bool

    init(current: MSALAccount?, previous: MSALAccount?, epoch: Epoch, isReported: Bool = true) {
        (self.current, self.previous, self.epoch, self.isReported) = (current, previous, epoch, isReported)
        isChange = previous.map { $0 != current } ?? false
    }
}

extension ClientConfiguration {
    /// Asks the broker for the current account.
    ///
    /// The broker reports the former account until ``acknowledge(_:_:complete:)`` is called. If an earlier change was
    /// handed to `async` code, this call acknowledges that change first, because an app that asks again has handled the
    /// earlier change. An account that this object has shown counts as seen before, even if another object or process
    /// with the same client id has acknowledged that the account has left.
    func currentAccount(
        _ correlation: UUID, complete: @escaping @Sendable (Result<AccountChange, Fault>) -> Void
    ) {
        seen.settle()
        guard let handled = broker.unconfirmed.take(id) else {
            return askCurrentAccount(correlation, complete)
        }
        acknowledge(handled, correlation) { askCurrentAccount(correlation, complete) }
    }

    private func askCurrentAccount(
        _ correlation: UUID, _ complete: @escaping @Sendable (Result<AccountChange, Fault>) -> Void
    ) {
        ask(.currentAccount, request(correlation).entries) {
            [environment = authority.host, decoded = broker.decoded, seen] outcome in
            complete(
                outcome.read { map, _ throws(BrokerError) in
                    let signedIn = try decoded.accounts(of: map)
                    guard signedIn.accounts.count <= 1 else {
                        throw BrokerError(.multipleAccounts, "The broker lists several accounts. Update the broker.")
                    }
                    let change = AccountChange(
                        try CurrentAccount(map, accounts: signedIn.records), current: signedIn.accounts.first,
                        environment: environment)
                    return seen.completed(change, environment: environment)
                })
        }
    }

    /// Stores a change that was handed to `async` code. The library cannot see when that code has handled the change,
    /// so the app's next query acknowledges it.
    func keepUnconfirmed(_ change: AccountChange) {
        if change.isReported { broker.unconfirmed.put(change, for: id) }
    }

    /// Records that the app's block has handled a change.
    func handled(_ change: AccountChange, _ correlation: UUID) {
        seen.settle()
        if change.isReported { acknowledge(change, correlation) }
    }

    /// Tells the broker that the app has handled a change. Queries report the change until the broker has learned this,
    /// and no longer afterwards (CUR-5).
    ///
    /// Errors are ignored, because the broker then reports the change again. `complete` runs in any case.
    private func acknowledge(
        _ change: AccountChange, _ correlation: UUID, complete: @escaping @Sendable () -> Void = {}
    ) {
        let acknowledgement = Acknowledgement(
            client: request(correlation), epoch: change.epoch, previousHomeAccountID: change.previous?.identifier)
        ask(.acknowledgeAccount, acknowledgement.entries, within: Self.patience) { _ in complete() }
    }
}

extension AccountChange {
    init(_ answer: CurrentAccount, current: MSALAccount?, environment: String) {
        let previous = answer.previousHomeAccountID.map { identifier in
            // Only the identifier of a signed-out worker is kept.
            MSALAccount(
                identifier: identifier, username: current?.identifier == identifier ? current?.username : nil,
                environment: environment)
        }
        self.init(current: current, previous: previous, epoch: answer.epoch)
    }
}
