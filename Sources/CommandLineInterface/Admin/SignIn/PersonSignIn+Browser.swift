// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Redaction

/// The sign-in with the browser of this machine (RFC 8252).
extension PersonSignIn {
    func useBrowser(
        at server: AuthorizationServer, scope: Scopes, _ freshness: Freshness
    ) async throws -> Outcome {
        let (verifier, state, nonce) = (ProofKey.verifier(), ProofKey.verifier(), ProofKey.verifier())
        let redirect = try await LoopbackRedirect(state: state)
        let request = Self.request(
            scope: scope, freshness, redirect: redirect.uri, verifier: verifier, state: state, nonce: nonce)
        let address = server.authorizationEndpoint + "?" + request.encoded
        let answer = try await within(Self.patience) {
            try instruct(.open(address: address))
            // The browser may stay open for longer than this command.
            let opening = Task {
                do { try await open(address) } catch {
                    if !Task.isCancelled { try? instruct(.openYourself(address: address, reason: "\(error)")) }
                }
            }
            defer { opening.cancel() }
            return try await redirect.answer()
        }
        if let error = Self.error(in: answer) { throw error }
        // RFC 9207: the answer of another server must not be redeemed here.
        guard let code = answer[ParameterName.code], let issuer = answer[ParameterName.issuer] else {
            throw AuthorizationServer.unusable(server.authorizationEndpoint, "its answer contains no code")
        }
        var form = FormParameters()
        form.append(ParameterName.grantType, GrantType.authorizationCode.rawValue)
        form.append(ParameterName.clientID, AdministrationApp.clientID)
        form.append(ParameterName.code, code)
        form.append(ParameterName.redirectURI, redirect.uri)
        form.append(ParameterName.codeVerifier, verifier)
        guard Self.mayIssue(issuer, server) else {
            throw AuthorizationServer.unusable(server.authorizationEndpoint, "another server has answered")
        }
        return try await outcome(try await server.tokens(for: form), from: server, nonce: nonce, issuer: issuer)
    }

    private static func request(
        scope: Scopes, _ freshness: Freshness, redirect: String, verifier: String, state: String, nonce: String
    ) -> FormParameters {
        var request = FormParameters()
        request.append(ParameterName.clientID, AdministrationApp.clientID)
        request.append(ParameterName.responseType, "code")
        request.append(ParameterName.redirectURI, redirect)
        request.append(ParameterName.scope, scope.text)
        request.append(ParameterName.codeChallenge, ProofKey.challenge(for: verifier))
        request.append(ParameterName.codeChallengeMethod, ProofKey.method)
        request.append(ParameterName.state, state)
        request.append(ParameterName.nonce, nonce)
        switch freshness {
        case .anyAge: break
        case .atMost(let seconds): request.append(ParameterName.maxAge, String(seconds))
        case .new: request.append(ParameterName.prompt, "login")
        }
        return request
    }

    /// Whether a server that serves any tenant, or one, could have this issuer.
    private static func mayIssue(_ issuer: String, _ server: AuthorizationServer) -> Bool {
        guard let ends = server.issuer.firstRange(of: "{tenantid}") else { return issuer == server.issuer }
        return issuer.hasPrefix(server.issuer[..<ends.lowerBound])
            && issuer.hasSuffix(server.issuer[ends.upperBound...])
    }

    /// Returns the error in an answer to an authorization request (RFC 6749 section 4.1.2.1).
    private static func error(in answer: FormParameters) -> OAuthError? {
        guard let code = answer[ParameterName.error] else { return nil }
        return OAuthError(
            OAuthError.Code(rawValue: code), number: 0, description: answer[ParameterName.errorDescription] ?? "")
    }
}
