// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol

extension Client {
    /// Asks which accounts are signed in, and leaves those that `filter` accepts.
    func accounts(
        _ filter: AccountFilter, _ correlation: UUID, within patience: Duration? = nil,
        complete: @escaping @Sendable (Result<[MSALAccount], Fault>) -> Void
    ) {
        var entries = request(correlation).entries
        entries.set(.signedInAccountsOnly, flag: filter.isSignedInOnly)
        ask(.getAccounts, entries, within: patience) { outcome in
            let accounts = outcome.read { map, _ throws(BrokerError) in
                try AccountsResponse(map).accounts.map(MSALAccount.init(_:))
            }
            complete(accounts.map { $0.filter(filter.accepts) })
        }
    }

    /// How long a call may hold its caller's thread.
    static let patience = Duration.seconds(5)

    /// Asks the same, and waits for the answer on the caller's thread, five seconds at most.
    func accounts(_ filter: AccountFilter, _ correlation: UUID) throws(Fault) -> [MSALAccount] {
        try waited { accounts(filter, correlation, within: Self.patience, complete: $0) }.get()
    }

    /// Forgets what the app holds of `account`: nothing, for nothing is kept in the app (REM-1).
    func remove(_ account: MSALAccount) throws(Fault) {}
}
