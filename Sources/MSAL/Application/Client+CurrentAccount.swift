// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol

/// Who is signed in now, whom this app saw before, and the epoch to acknowledge once the app has dealt with it.
struct AccountChange: Sendable {
    let current: MSALAccount?
    let previous: MSALAccount?
    let epoch: Epoch
}

extension Client {
    /// Asks who is signed in.
    ///
    /// The broker keeps the former account pending until ``acknowledge(_:_:)``.
    func currentAccount(
        _ correlation: UUID, complete: @escaping @Sendable (Result<AccountChange, Fault>) -> Void
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

    /// Tells the broker that a change was delivered, so that it is reported until then, and once (CUR-5).
    ///
    /// Nobody can act on a failure: the broker reports the change again. `complete` runs in any case.
    func acknowledge(
        _ change: AccountChange, _ correlation: UUID, complete: @escaping @Sendable () -> Void = {}
    ) {
        guard change.previous != nil else { return complete() }
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
