// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol

extension Client {
    /// Asks which accounts are signed in, and leaves those that `filter` accepts.
    ///
    /// - Parameter isDevice: whether all of the device are meant; false leaves out what the app removed (REM-1).
    func accounts(
        _ filter: AccountFilter, _ correlation: UUID, ofDevice isDevice: Bool = true, within patience: Duration? = nil,
        complete: @escaping @Sendable (Result<[MSALAccount], Fault>) -> Void
    ) {
        var entries = request(correlation).entries
        entries.set(.signedInAccountsOnly, flag: filter.isSignedInOnly)
        ask(.getAccounts, entries, within: patience) { outcome in
            let accounts = outcome.read { map, _ throws(BrokerError) in
                let response = try AccountsResponse(map)
                let removed = isDevice ? nil : response.removedHomeAccountID
                return response.accounts.filter { $0.homeAccountID != removed }.map(MSALAccount.init(_:))
            }
            complete(accounts.map { $0.filter(filter.accepts) })
        }
    }

    /// How long a call may hold its caller's thread.
    static let patience = Duration.seconds(5)

    /// Asks which accounts are signed in and not removed by the app; waits on the caller's thread, five seconds at most.
    func rememberedAccounts(_ filter: AccountFilter, _ correlation: UUID) throws(Fault) -> [MSALAccount] {
        try waited { accounts(filter, correlation, ofDevice: false, within: Self.patience, complete: $0) }.get()
    }

    /// Has the broker drop what it holds of `account` for this app (REM-1); waits on the caller's thread, five seconds at most.
    ///
    /// Nothing is held of an account that nothing names, nor on a personal device.
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
