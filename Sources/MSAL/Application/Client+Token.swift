// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol

extension Client {
    typealias TokenCompletion = @Sendable (Result<MSALResult, Fault>) -> Void

    /// Signs a person in, through the broker's window.
    func login(_ request: TokenRequest, _ correlation: UUID, complete: @escaping TokenCompletion) {
        broker.ask(.login, request.entries, isSilent: false) { outcome in
            complete(outcome.token(correlation: correlation, silent: false))
        }
    }

    /// Asks for a token of the account that is signed in.
    ///
    /// Nothing is cached in the app (CACHE-1), so this always asks.
    func refresh(_ request: TokenRequest, _ correlation: UUID, complete: @escaping TokenCompletion) {
        broker.ask(.refresh, request.entries) { outcome in
            let result = outcome.token(correlation: correlation, silent: true)
            complete(
                result.flatMap { result in
                    guard result.account.identifier == request.homeAccountID else { return .failure(.otherAccount) }
                    return .success(result)
                })
        }
    }

    /// Checks the parameters of an interactive sign-in (INT-1, INT-2).
    func loginRequest(
        _ parameters: MSALInteractiveTokenParameters, _ correlation: UUID
    ) throws(Fault) -> TokenRequest {
        var token = try tokenRequest(parameters, correlation)
        token.homeAccountID = parameters.account?.identifier
        token.username = parameters.account?.username ?? parameters.loginHint
        token.prompt = parameters.promptType.wireText
        return token
    }

    /// Checks the parameters of a silent request (SIL-1).
    func refreshRequest(_ parameters: MSALSilentTokenParameters, _ correlation: UUID) throws(Fault) -> TokenRequest {
        var token = try tokenRequest(parameters, correlation)
        guard let identifier = parameters.account?.identifier, !identifier.isEmpty else {
            throw Fault(
                .interactionRequired, "No account was given. Sign in with acquireToken, or take getCurrentAccount's.")
        }
        token.homeAccountID = identifier
        token.username = parameters.account?.username
        token.forceRefresh = parameters.forceRefresh
        return token
    }

    private func tokenRequest(_ parameters: MSALTokenParameters, _ correlation: UUID) throws(Fault) -> TokenRequest {
        let reserved = ["openid", "profile", "offline_access", id.lowercased()]
        for scope in parameters.scopes {
            guard !scope.isEmpty, !scope.contains(where: \.isWhitespace) else {
                throw Fault(.internalErrorInvalidParameter, "A scope is blank or holds a blank. Pass them one by one.")
            }
            guard !reserved.contains(scope.lowercased()) else {
                throw Fault(
                    .internalErrorInvalidParameter,
                    "The scopes openid, profile, offline_access and the client id may not be asked for. Leave them out."
                )
            }
        }
        return TokenRequest(
            client: request(correlation), redirectURI: redirectURI,
            authority: (parameters.authority ?? authority).url.absoluteString, scopes: parameters.scopes)
    }
}

extension Fault {
    /// A token of somebody else must not reach an app that asked for this account's.
    fileprivate static let otherAccount = Fault(
        .internalErrorMismatchedUser,
        "The token is of another account. Call getCurrentAccount to learn whose turn it is.")
}

extension Result<FlatMap, LinkFailure> {
    fileprivate func token(correlation: UUID, silent: Bool) -> Result<MSALResult, Fault> {
        read(silent: silent) { map, _ throws(BrokerError) in
            try MSALResult(try TokenResponse(map), correlation: correlation)
        }
    }
}
