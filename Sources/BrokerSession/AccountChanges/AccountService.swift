// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import DeviceSettings

/// Answers apps' requests about the device and the signed-in account.
struct AccountService: Sendable {
    let session: CurrentSession
    let access: AppAccess
    let tokens: TokenService
    let changes: AccountChangeTracker

    func deviceInfo(_ call: AppRequest) throws(BrokerError) -> AppResponse {
        try ClientRequest.checkVersion(call.parameters)
        var response = AppResponse()
        if let clientID = call.parameters[.clientID] {
            response.entries[.extraDeviceInfo] = session.device.extraInfo(for: clientID)
        }
        return response
    }

    func accounts(_ call: AppRequest) throws(BrokerError) -> AppResponse {
        let app = try access.app(ClientRequest(call.parameters), in: call)
        let accounts = AccountsResponse(
            accounts: session.worker.map { [$0.account] } ?? [],
            removedHomeAccountID: changes.removedAccount(client: app.clientID))
        return AppResponse(type: .accounts, entries: accounts.entries)
    }

    /// Returns the signed-in account. The request needs no client id, but must come from an app of this device.
    func defaultAccount(_ call: AppRequest) throws(BrokerError) -> AppResponse {
        try ClientRequest.checkVersion(call.parameters)
        if let clientID = call.parameters[.clientID], !clientID.isEmpty {
            try access.app(ClientRequest(clientID: clientID), in: call)
        } else {
            try access.checkAny(call)
        }
        return AppResponse(
            type: .defaultAccount, entries: DefaultAccountResponse(account: session.worker?.account).entries)
    }

    /// Drops the tokens that this client was given for the account, and records on disk that the client gets no more
    /// tokens until somebody signs in through that client. The worker stays signed in on the device: only a sign-out
    /// ends a session. Nothing is recorded for an account that is not signed in.
    func remove(_ call: AppRequest) throws(BrokerError) -> AppResponse {
        let wanted = try RemoveAccountRequest(call.parameters)
        let app = try access.app(wanted.client, in: call)
        if let worker = session.worker, wanted.means(worker.account) {
            try changes.setRemoved(true, client: app.clientID)
            tokens.drop(client: app.clientID)
        }
        return AppResponse()
    }
}
