// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol

extension ClientConfiguration {
    /// Signs the account out of the whole device. Invalid parameters are reported through `complete`, like any other
    /// error.
    func signOut(
        _ account: MSALAccount, _ parameters: MSALSignoutParameters, correlation: UUID,
        complete: @escaping @Sendable (Result<Void, Fault>) -> Void
    ) {
        do throws(Fault) {
            let request = try signOutRequest(account, parameters, correlation: correlation)
            ask(.signOut, request.entries) { outcome in complete(outcome.read { _, _ in }) }
        } catch { complete(.failure(error)) }
    }

    /// Checks the parameters of a sign-out and builds the request (OUT-1, OUT-3).
    private func signOutRequest(
        _ account: MSALAccount, _ parameters: MSALSignoutParameters, correlation: UUID
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
