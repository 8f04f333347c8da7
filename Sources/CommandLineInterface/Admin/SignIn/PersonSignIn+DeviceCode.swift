// SPDX-License-Identifier: Apache-2.0
internal import OAuth

/// The sign-in with a code that the person enters on another machine (RFC 8628).
extension PersonSignIn {
    func useCode(at server: AuthorizationServer, scope: Scopes) async throws -> Outcome {
        guard let endpoint = server.deviceAuthorizationEndpoint else {
            throw AuthorizationServer.unusable(server.tokenEndpoint, "it does not offer a sign-in with a code")
        }
        let reply = try await AuthorizationServer.post(Self.question(scope: scope), to: endpoint, through: server.web)
        guard let code = try? reply.string(ReplyName.deviceCode), let typed = try? reply.string(ReplyName.userCode),
            let page = (try? reply.string(ReplyName.verificationURI)).flatMap(ServerURL.init),
            let lifetime = try? reply.lenientInteger(ReplyName.expiresIn), (1...3600).contains(lifetime)
        else { throw AuthorizationServer.unusable(endpoint, "its answer contains no code") }
        // RFC 8628 section 3.2: five seconds if the server names no interval.
        let interval = (try? reply.lenientInteger(ReplyName.interval)).flatMap(\.self) ?? 5
        try instruct(.enter(code: TextTable.printable(typed), address: page.text))
        let tokens = try await within(.seconds(lifetime)) {
            try await poll(server, code: code, every: .seconds(min(max(interval, 0), 60)))
        }
        return try await outcome(tokens, from: server, nonce: nil)
    }

    private static func question(scope: Scopes) -> FormParameters {
        var form = FormParameters()
        form.append(ParameterName.clientID, AdministrationApp.clientID)
        form.append(ParameterName.scope, scope.text)
        return form
    }

    /// Asks for the tokens until the person has decided (RFC 8628 section 3.5).
    private func poll(_ server: AuthorizationServer, code: String, every interval: Duration) async throws -> TokenReply
    {
        var form = FormParameters()
        form.append(ParameterName.grantType, GrantType.deviceCode.rawValue)
        form.append(ParameterName.clientID, AdministrationApp.clientID)
        form.append(ParameterName.deviceCode, code)
        var pause = interval
        while true {
            try await Task.sleep(for: pause)
            do { return try await server.tokens(for: form) } catch let error as OAuthError {
                switch error.code {
                case .authorizationPending: pause = interval
                case .slowDown: pause += .seconds(5)
                case .expiredToken: throw TimeLimitExceeded()
                default: throw error
                }
            } catch let failure as WebFailure where [.late, .lost, .unreachable].contains(failure) {
                pause = min(max(pause * 2, .seconds(1)), .seconds(60))
            }
        }
    }
}
