// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import Synchronization

extension AccountDesk {
    /// The account of whoever is signed in, which an app may ask for without saying which client it is: it must be some app
    /// of this device all the same.
    func defaultAccount(_ request: Request, _ app: AppConnection) throws(BrokerError) -> FlatMap {
        try ClientRequest.checkVersion(request.parameters)
        let device = try sharedDevice()
        if let clientID = request.parameters[.clientID], !clientID.isEmpty {
            _ = try device.app(clientID, for: app.peer.identity)
        } else {
            try device.checkAnyApp(for: app.peer.identity)
        }
        let account = state.withLock { $0.worker }?.account
        return .response(
            to: request.operation, type: .defaultAccount, device: try device.info(),
            entries: DefaultAccountResponse(account: account).entries)
    }

    /// Drops the tokens that this client was given for the account. Who is signed in stays so, on the device and for this
    /// client: the end of a session is the sign-out's alone. Of an account that is not here nothing is held.
    func removeAccount(_ request: Request, _ app: AppConnection) throws(BrokerError) -> FlatMap {
        let wanted = try RemoveAccountRequest(request.parameters)
        let registered = try self.app(wanted.client, app)
        let device = state.withLock { state in
            if let worker = state.worker, wanted.means(worker.account) {
                state.tokens.drop(client: registered.clientID)
            }
            return state.device
        }
        return .response(to: request.operation, type: .generic, device: try device.info())
    }
}

extension RemoveAccountRequest {
    /// Whether the request names this account.
    fileprivate func means(_ account: AccountRecord) -> Bool {
        if let homeAccountID { return homeAccountID.lowercased() == account.homeAccountID }
        return username?.lowercased() == account.username.lowercased()
    }
}
