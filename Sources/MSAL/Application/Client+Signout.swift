// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol

extension Client {
    /// Signs the account out of the whole device.
    func signOut(
        _ request: SignOutRequest, complete: @escaping @Sendable (Result<Void, Fault>) -> Void
    ) {
        ask(.signOut, request.entries) { outcome in complete(outcome.read { _, _ in }) }
    }

    /// Checks the parameters of a sign-out (OUT-1, OUT-3).
    func signOutRequest(
        _ account: MSALAccount, _ parameters: MSALSignoutParameters, _ correlation: UUID
    ) throws(Fault) -> SignOutRequest {
        guard let identifier = account.identifier, !identifier.isEmpty else {
            throw Fault(.accountUnnamed)
        }
        guard !parameters.signoutFromBrowser || parameters.presentation != nil else {
            throw Fault(.webParametersMissing)
        }
        var signOut = SignOutRequest(
            client: request(correlation), homeAccountID: identifier, authority: authority.url.absoluteString,
            redirectURI: redirectURI)
        signOut.signoutFromBrowser = parameters.signoutFromBrowser
        signOut.wipeAccount = parameters.wipeAccount
        signOut.wipeCacheForAllAccounts = parameters.wipeCacheForAllAccounts
        signOut.extraQueryParameters = parameters.extraQueryParameters ?? [:]
        return signOut
    }
}
