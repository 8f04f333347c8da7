// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import DeviceHTTPS
internal import OAuth
internal import Processes
internal import Redaction
internal import WebPages

/// A person's sign-in in the browser, with an authorization code and PKCE (RFC 8252, RFC 7636). The broker itself is
/// the client.
struct InteractiveSignIn: Sendable {
    let server: IdentityClient
    let scopes: Scopes
    /// The user name that the app suggests.
    var loginHint: String?
    var prompt: String?
    /// A claims request as JSON text. The server checks it before it shows a page.
    var claims: String?
    /// Query parameters that the app adds to the address.
    var extraParameters: [String: String] = [:]
    /// Proves to the server that the page is shown on this device; nil if the device has not joined.
    var deviceProof: PageProof?

    /// The token endpoint's answer to the authorization code.
    struct Tokens: Sendable {
        let accessToken: Sensitive<String>
        let refreshToken: Sensitive<String>
        /// The account of the person who signed in.
        let homeAccountID: String
    }

    /// Opens the browser and waits for the person.
    ///
    /// - Throws: ``BrokerError``, or the error with which the attempt was interrupted.
    func run(in attempt: SignInAttempt) async throws -> Tokens {
        let verifier = ProofKey.verifier()
        let challenge = ProofKey.challenge(for: verifier)
        let proof = await deviceProof?.text()
        let redirection = try await SignInRedirection.open(for: attempt, in: Self.language(of: extraParameters)) {
            [self] redirectURI, state in
            authorizeURL(redirectURI: redirectURI, state: state, challenge: challenge, proof: proof)
        }
        defer { redirection.close() }
        try attempt.open(redirection.startURL, pages(challenge: challenge))
        let answer = try await redirection.answer.value()
        return try await redeem(try code(in: answer), verifier, redirectURI: redirection.redirectURI)
    }

    /// Refuses an app's query parameters that the broker sets itself.
    ///
    /// - Throws: ``BrokerError`` -51112, which names the parameter.
    static func check(extraParameters: [String: String]) throws(BrokerError) {
        for name in extraParameters.keys where reserved.contains(name.lowercased()) {
            throw BrokerError(
                .developerParameter,
                "The extra query parameter \(name.lowercased()) is reserved for the broker. Leave it out.")
        }
    }

    /// Returns the language that the app asks for; nil if it asks for none.
    static func language(of extraParameters: [String: String]) -> Language? {
        extraParameters[ParameterName.uiLocales.rawValue].flatMap(Language.preferred)
    }

    private static let reserved = Set(
        [
            ParameterName.claims, .clientID, .clientInfo, .clientRequestID, .clientSecret, .code, .codeChallenge,
            .codeChallengeMethod, .codeVerifier, .deviceProof, .idTokenHint, .loginHint, .nonce, .prompt, .redirectURI,
            .request,
            .resource, .responseMode, .responseType, .scope, .state,
        ].map(\.rawValue))

    private struct ExtraParameter: WireName { let rawValue: String }

    private func authorizeURL(redirectURI: String, state: String, challenge: String, proof: String?) -> String {
        var query = FormParameters()
        query.append(ParameterName.clientID, WellKnownApplication.broker)
        query.append(ParameterName.responseType, "code")
        query.append(ParameterName.redirectURI, redirectURI)
        query.append(ParameterName.scope, scopes.text)
        query.append(ParameterName.state, state)
        query.append(ParameterName.codeChallenge, challenge)
        query.append(ParameterName.codeChallengeMethod, ProofKey.method)
        query.append(ParameterName.loginHint, loginHint)
        query.append(ParameterName.prompt, prompt)
        query.append(ParameterName.claims, claims)
        query.append(ParameterName.clientRequestID, server.correlationID)
        query.append(ParameterName.deviceProof, proof)
        for (name, value) in extraParameters.sorted(by: { $0.key < $1.key }) {
            query.append(ExtraParameter(rawValue: name), value)
        }
        return server.loginURL + EndpointPath.authorize(tenant: server.tenant) + "?" + query.encoded
    }

    /// The platform's pages that this sign-in needs. No other page is shown, because a person could prepare it for the
    /// next worker: the page of a device code, for example, or of another app's request. An authorization request is
    /// shown only with this sign-in's proof key: without the key, nobody can redeem the request's code.
    private func pages(challenge: String) -> [String] {
        var proof = FormParameters()
        proof.append(ParameterName.codeChallenge, challenge)
        proof.append(ParameterName.codeChallengeMethod, ProofKey.method)
        let forms = AuthorizeForm.allCases.map { $0.path(tenant: server.tenant) }
        return [EndpointPath.authorize(tenant: server.tenant) + "?" + proof.encoded] + forms
    }

    private func code(in answer: FormParameters) throws(BrokerError) -> String {
        if let word = answer[ParameterName.error] {
            throw BrokerError(
                OAuthError(
                    .init(rawValue: word), number: 0, description: answer[ParameterName.errorDescription] ?? ""))
        }
        guard let code = answer[ParameterName.code] else {
            throw BrokerError(.serverError, "The identity platform sent no code. Look at the platform's log.")
        }
        return code
    }

    private func redeem(_ code: String, _ verifier: String, redirectURI: String) async throws -> Tokens {
        var form = FormParameters()
        form.append(ParameterName.grantType, GrantType.authorizationCode.rawValue)
        form.append(ParameterName.clientID, WellKnownApplication.broker)
        form.append(ParameterName.code, code)
        form.append(ParameterName.redirectURI, redirectURI)
        form.append(ParameterName.codeVerifier, verifier)
        form.append(ParameterName.scope, scopes.text)
        form.append(ParameterName.clientInfo, "1")
        let reply = try Members(decoding: try await server.post(form))
        return Tokens(
            accessToken: Sensitive(try reply.string(ReplyName.accessToken)),
            refreshToken: Sensitive(try reply.string(ReplyName.refreshToken)),
            homeAccountID: try ClientInfo(decoding: try reply.string(ReplyName.clientInfo)).homeAccountID)
    }
}
