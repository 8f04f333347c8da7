// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol

extension ClientConfiguration {
    /// Asks the broker for the signed-in accounts and keeps those that `filter` accepts.
    ///
    /// - Parameter isDevice: true lists all accounts of the device; false leaves out accounts that the app has removed
    ///   (REM-1).
    func accounts(
        _ filter: AccountFilter, _ correlation: UUID, ofDevice isDevice: Bool = true, within patience: Duration? = nil,
        complete: @escaping @Sendable (Result<[MSALAccount], Fault>) -> Void
    ) {
        var entries = request(correlation).entries
        entries.set(.signedInAccountsOnly, flag: filter.isSignedInOnly)
        ask(.getAccounts, entries, within: patience) { [decoded = broker.decoded, seen] outcome in
            let accounts = outcome.read { map, _ throws(BrokerError) in
                let removed = isDevice ? nil : map[.removedHomeAccountID]
                return try decoded.accounts(of: map).accounts.filter { $0.identifier != removed }
            }
            let accepted = accounts.map { $0.filter(filter.accepts) }
            seen.show(try? accepted.get().first)
            complete(accepted)
        }
    }

    /// The longest time for which a call may block its caller's thread.
    static let patience = Duration.seconds(5)

    /// Returns the signed-in accounts that the app has not removed. Blocks the caller's thread for at most five
    /// seconds.
    func rememberedAccounts(_ filter: AccountFilter, _ correlation: UUID) throws(Fault) -> [MSALAccount] {
        try waited { accounts(filter, correlation, ofDevice: false, within: Self.patience, complete: $0) }.get()
    }

    /// Removes `account` from this app: the broker deletes the app's tokens and records the removal (REM-1). Blocks the
    /// caller's thread for at most five seconds.
    ///
    /// Does nothing if the account has neither an identifier nor a user name, or if the device is personal.
    func remove(_ account: MSALAccount, _ correlation: UUID) throws(Fault) {
        guard
            let request = RemoveAccountRequest(
                client: request(correlation), homeAccountID: account.identifier, username: account.username)
        else { return }
        let outcome = waited { ask(.removeAccount, request.entries, within: Self.patience, complete: $0) }
        if case .failure(.personalDevice) = outcome { return }
        try outcome.read { _, _ in }.get()
    }
}
