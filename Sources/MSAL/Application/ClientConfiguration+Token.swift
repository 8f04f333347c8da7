// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol

extension ClientConfiguration {
    typealias TokenCompletion = @Sendable (Result<MSALResult, Fault>) -> Void

    /// Signs a user in through the broker's window. Invalid parameters are reported through `complete`, like any other
    /// error.
    ///
    /// The account that signs in need not be the suggested account (INT-7).
    func login(
        _ parameters: MSALInteractiveTokenParameters, _ correlation: UUID, complete: @escaping TokenCompletion
    ) {
        do throws(Fault) {
            let request = try loginRequest(parameters, correlation)
            ask(.login, request.entries, isSilent: false) { [decoded = broker.decoded] outcome in
                complete(outcome.token(for: request, correlation: correlation, silent: false, decoded: decoded))
            }
        } catch { complete(.failure(error)) }
    }

    /// Requests a token for the signed-in account. Invalid parameters are reported through `complete`, like any other
    /// error.
    ///
    /// Always asks the broker, because the app caches nothing (CACHE-1).
    func refresh(_ parameters: MSALSilentTokenParameters, _ correlation: UUID, complete: @escaping TokenCompletion) {
        do throws(Fault) {
            let request = try refreshRequest(parameters, correlation)
            ask(.refresh, request.entries) { [decoded = broker.decoded] outcome in
                complete(outcome.token(for: request, correlation: correlation, silent: true, decoded: decoded))
            }
        } catch { complete(.failure(error)) }
    }

    /// Checks the parameters of an interactive sign-in and builds the request (INT-1, INT-2).
    private func loginRequest(
        _ parameters: MSALInteractiveTokenParameters, _ correlation: UUID
    ) throws(Fault) -> TokenRequest {
        var token = try tokenRequest(parameters, parameters.authority ?? authority, correlation: correlation)
        token.homeAccountID = parameters.account?.identifier
        token.username = parameters.account?.username ?? parameters.loginHint
        token.prompt = parameters.promptType.wireText
        token.extraScopesToConsent = parameters.extraScopesToConsent ?? []
        if parameters.preferredAuthMethod == .QRPIN { token.extraQueryParameters["pc"] = "18" }
        if let domain = parameters.domainHint { token.extraQueryParameters["domain_hint"] = domain }
        return token
    }

    /// Checks the parameters of a silent request and builds the request (SIL-1).
    private func refreshRequest(
        _ parameters: MSALSilentTokenParameters, _ correlation: UUID
    ) throws(Fault) -> TokenRequest {
        guard let account = parameters.account, let identifier = account.identifier, !identifier.isEmpty else {
            _ = try tokenRequest(parameters, authority, correlation: correlation)
            throw Fault(.accountMissing)
        }
        var token = try tokenRequest(
            parameters, parameters.authority ?? authority(of: account), correlation: correlation)
        token.homeAccountID = identifier
        token.username = account.username
        token.forceRefresh = parameters.forceRefresh
        return token
    }

    /// Returns the authority of the account's home tenant if the app's own authority names no tenant; otherwise returns
    /// the app's authority (SIL-4).
    private func authority(of account: MSALAccount) -> MSALAuthority {
        guard !authority.namesOrganisation, let tenant = account.homeAccountId?.tenantId else { return authority }
        return homeAuthorities.authority(of: tenant) ?? authority
    }

    private func tokenRequest(
        _ parameters: MSALTokenParameters, _ authority: MSALAuthority, correlation: UUID
    ) throws(Fault) -> TokenRequest {
        guard parameters.authenticationScheme.map({ $0.scheme == .bearer }) ?? true else {
            throw Fault(.authenticationScheme)
        }
        let scopes = try ScopeList(asked: parameters.scopes, by: id)
        var token = TokenRequest(
            client: request(correlation), redirectURI: redirectURI, authority: authority.text,
            scopes: scopes.texts)
        token.extraQueryParameters = parameters.extraQueryParameters ?? [:]
        token.clientCapabilities = capabilities
        if let claims = parameters.claimsRequest, !claims.isEmpty {
            guard let text = claims.jsonString() else { throw claims.fault ?? Fault(.claims) }
            token.claims = text
        }
        return token
    }
}

extension Result<FlatMap, LinkFailure> {
    fileprivate func token(
        for request: TokenRequest, correlation: UUID, silent: Bool, decoded: DecodedReplies
    ) -> Result<MSALResult, Fault> {
        let token = read(silent: silent) { map, _ throws(BrokerError) in
            let response = try TokenResponse(map)
            return MSALResult(response, owner: try decoded.owner(of: response), correlation: correlation)
        }
        return token.flatMap { result in
            // An app that requested a token for one account must not get a token for another account.
            guard !silent || result.account.identifier?.lowercased() == request.homeAccountID?.lowercased() else {
                return .failure(Fault(.tokenOfAnother))
            }
            let granted = ScopeList(result.scopes)
            let declined = ScopeList(request.scopes).declined(where: granted)
            guard declined.isEmpty else {
                var fault = Fault(.scopesDeclined)
                fault.declined = Fault.Declined(
                    declined: declined, granted: granted.withoutProtocol, result: result)
                return .failure(fault)
            }
            return .success(result)
        }
    }
}
