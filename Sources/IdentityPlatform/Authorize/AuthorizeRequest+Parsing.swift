// SPDX-License-Identifier: Apache-2.0
internal import OAuth

extension AuthorizeRequest {
    /// Why a request was refused, and whether the client may be told by redirect.
    enum Refusal: Error {
        /// Client or redirect URI cannot be believed: only the person may be told (RFC 6749 section 4.1.2.1).
        case shown(OAuthError)
        case returned(OAuthError, ReturnAddress)
    }

    /// The redirect URI of a client, checked against the registration.
    static func returnAddress(
        _ parameters: FormParameters, of client: Client
    ) throws(Refusal) -> ReturnAddress {
        guard let text = parameters[ParameterName.redirectURI] else { throw .shown(.missing(.redirectURI)) }
        guard let redirect = RedirectURI(text), client.allowsRedirect(to: redirect) else {
            throw .shown(.unregisteredRedirect)
        }
        let mode = parameters[ParameterName.responseMode]
        return ReturnAddress(
            redirect: redirect, mode: mode.flatMap(Mode.init) ?? .query, state: parameters[ParameterName.state])
    }

    /// Checks everything else.
    init(
        _ parameters: FormParameters, tenant: Tenant, client: Client, resources: ResourceCatalogue
    ) throws(Refusal) {
        let address = try Self.returnAddress(parameters, of: client)
        do throws(OAuthError) {
            let mode = parameters[ParameterName.responseMode]
            guard mode == nil || mode.flatMap(Mode.init) != nil else { throw .unsupportedResponseMode }
            guard try parameters.required(.responseType) == "code" else { throw .unsupportedResponseType }
            guard parameters[ParameterName.codeChallengeMethod] == ProofKey.method,
                let challenge = parameters[ParameterName.codeChallenge], Self.isChallenge(challenge)
            else { throw .challengeRequired }
            guard let prompt = Prompt(parameters[ParameterName.prompt] ?? "") else { throw .unsupportedPrompt }
            // What is kept until the code is redeemed, or comes back in an address, has an end.
            guard (parameters[ParameterName.nonce] ?? "").utf8.count <= 512,
                (parameters[ParameterName.scope] ?? "").utf8.count <= 4096
            else { throw .tooLarge }
            _ = try ClaimsRequest(parsing: parameters[ParameterName.claims])
            scopeText = try parameters.required(.scope)
            scope = try resources.grant(
                scope: scopeText, resource: parameters[ParameterName.resource], to: client)
            maxAge = try Self.maxAge(parameters)
            self.challenge = challenge
            self.prompt = prompt
        } catch {
            throw .returned(error, address)
        }
        (self.tenant, self.client, self.parameters) = (tenant, client, parameters)
        (redirect, mode, state) = (address.redirect, address.mode, address.state)
        nonce = parameters[ParameterName.nonce]
        loginHint = parameters[ParameterName.loginHint]
        wantsClientInfo = parameters.wantsClientInfo
    }

    var address: ReturnAddress { ReturnAddress(redirect: redirect, mode: mode, state: state) }

    /// The challenge is the base64url of a SHA-256 value (RFC 7636 section 4.2).
    private static func isChallenge(_ text: String) -> Bool { (try? Base64URL.decode(text))?.count == 32 }

    private static func maxAge(_ parameters: FormParameters) throws(OAuthError) -> Duration? {
        guard let text = parameters[ParameterName.maxAge] else { return nil }
        guard let seconds = Int32(text), seconds >= 0 else { throw .malformedForm }
        return .seconds(Int64(seconds))
    }
}
