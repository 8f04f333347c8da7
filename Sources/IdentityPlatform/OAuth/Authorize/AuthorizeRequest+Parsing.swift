// SPDX-License-Identifier: Apache-2.0
internal import OAuth

extension AuthorizeRequest {
    /// Why a request was refused, and whether the browser is redirected to the client with the error.
    enum Refusal: Error {
        /// The client or the redirect URI cannot be trusted, so the error is shown only to the person (RFC 6749 section
        /// 4.1.2.1).
        case shown(OAuthError)
        case returned(OAuthError, ReturnAddress)
    }

    /// The data that a request is checked against.
    struct ValidationContext {
        let tenant: Tenant
        let client: Client
        let issuer: String
        let resources: ResourceCatalogue
        /// The organisation's signing keys, to verify an `id_token_hint`.
        let keys: [TenantKey]
        let allowsMissingProofKey: Bool
    }

    /// Returns the client's redirect URI after checking it against the registration.
    private static func returnAddress(
        _ parameters: FormParameters, _ known: ValidationContext
    ) throws(Refusal) -> ReturnAddress {
        guard let text = parameters[ParameterName.redirectURI] else { throw .shown(.missing(.redirectURI)) }
        guard let redirect = RedirectURI(text), known.client.allowsRedirect(to: redirect) else {
            throw .shown(.unregisteredRedirect)
        }
        // A client that asks for tokens expects the response in the fragment.
        let types = Set((parameters[ParameterName.responseType] ?? "").split(separator: " "))
        let usual: Mode = types.isDisjoint(with: ["token", "id_token"]) ? .query : .fragment
        return ReturnAddress(
            redirect: redirect, mode: parameters[ParameterName.responseMode].flatMap(Mode.init) ?? usual,
            state: parameters[ParameterName.state], issuer: known.issuer)
    }

    /// Checks the whole request.
    init(_ parameters: FormParameters, _ known: ValidationContext) throws(Refusal) {
        address = try Self.returnAddress(parameters, known)
        (tenant, client, self.parameters) = (known.tenant, known.client, parameters)
        nonce = parameters[ParameterName.nonce]
        loginHint = parameters[ParameterName.loginHint]
        wantsClientInfo = parameters.wantsClientInfo
        do throws(OAuthError) {
            try Self.refuseWhatIsNotServed(parameters)
            challenge = try Self.challenge(parameters, isOptional: known.allowsMissingProofKey)
            guard let prompt = Prompt(parameters[ParameterName.prompt] ?? "") else { throw .unsupportedPrompt }
            self.prompt = prompt
            _ = try ClaimsRequest(parsing: parameters[ParameterName.claims])
            scopeText = try Self.scopeText(parameters)
            scope = try known.resources.grant(scope: scopeText, to: known.client)
            maxAge = try parameters.maxAge()
            hinted = try parameters[ParameterName.idTokenHint].map { text throws(OAuthError) in
                guard let hint = IDTokenHint(text, keys: known.keys) else { throw .badIDTokenHint }
                return hint.user
            }
        } catch {
            throw .returned(error, address)
        }
    }

    private static func refuseWhatIsNotServed(_ parameters: FormParameters) throws(OAuthError) {
        let mode = parameters[ParameterName.responseMode]
        guard mode == nil || mode.flatMap(Mode.init) != nil else { throw .unsupportedResponseMode }
        // OpenID Connect Core section 3.1.2.6. These parameters would change the rest of the request, so they cannot be
        // ignored.
        guard parameters[ParameterName.request] == nil else { throw .requestObject }
        guard parameters[ParameterName.requestURI] == nil else { throw .requestURI }
        guard parameters[ParameterName.registration] == nil else { throw .selfRegistration }
        guard try parameters.required(.responseType) == "code" else { throw .unsupportedResponseType }
        // Values that are stored until the code is redeemed, or returned in a URL, have a length limit.
        guard (parameters[ParameterName.nonce] ?? "").utf8.count <= 512,
            (parameters[ParameterName.state] ?? "").utf8.count <= 8192
        else { throw .tooLarge }
    }

    /// Returns the code challenge: a SHA-256 hash in base64url (RFC 7636 section 4.2).
    private static func challenge(_ parameters: FormParameters, isOptional: Bool) throws(OAuthError) -> String? {
        let method = parameters[ParameterName.codeChallengeMethod]
        guard let challenge = parameters[ParameterName.codeChallenge] else {
            guard isOptional, method == nil else { throw .challengeRequired }
            return nil
        }
        guard method == ProofKey.method, (try? Base64URL.decode(challenge))?.count == 32 else {
            throw .challengeRequired
        }
        return challenge
    }

    /// Returns the scopes. The `resource` of version 1 becomes the scope for all permissions of that resource. A client
    /// that names a resource may omit the scopes, and then gets the usual OpenID Connect scopes.
    private static func scopeText(_ parameters: FormParameters) throws(OAuthError) -> String {
        var text = parameters[ParameterName.scope]
        if let resource = parameters[ParameterName.resource] {
            let usual = [Scopes.openID, Scopes.profile, Scopes.offlineAccess].joined(separator: " ")
            text = "\(text ?? usual) \(resource)\(Scopes.defaultSuffix)"
        }
        guard let text else { throw .missing(.scope) }
        guard text.utf8.count <= 4096 else { throw .tooLarge }
        return text
    }
}
