// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird

extension Platform {
    /// The handlers of the token endpoint.
    var grants: [any GrantHandler] {
        [
            AuthorizationCodeGrant(platform: self), RefreshTokenGrant(platform: self),
            PasswordGrant(platform: self), NonceGrant(platform: self),
            SignedRequestGrant(platform: self),
        ]
    }

    /// What answers on the platform's listener, by host name.
    package func responder() -> HostResponder {
        let names = configuration.names
        return HostResponder([
            [names.login] + names.aliases.login: router(OAuthDialect(ambient: ambient)) { router in
                DiscoveryEndpoints(platform: self).addRoutes(to: router)
                AuthorizeEndpoint(platform: self).addRoutes(to: router)
                TokenEndpoint(platform: self, grants: grants).addRoutes(to: router)
                LogoutEndpoint(platform: self).addRoutes(to: router)
                EndSessionEndpoint(platform: self).addRoutes(to: router)
                SessionStateEndpoint(platform: self).addRoutes(to: router)
            },
            [names.deviceRegistration] + names.aliases.deviceRegistration: router(RegistrationDialect()) { router in
                DeviceRegistrationEndpoints(platform: self).addRoutes(to: router)
            },
            [names.graph] + names.aliases.graph: GraphAddress(
                next: router(GraphDialect(ambient: ambient, challenge: accessTokens.challenge)) { router in
                    GraphEndpoints(platform: self).addRoutes(to: router)
                }),
        ])
    }

    private func router(
        _ dialect: some ErrorDialect, _ addRoutes: (Router<IdentityContext>) -> Void
    ) -> any HTTPResponder<IdentityContext> {
        // No HEAD: it would run routes that sign in or out for a program that only looks whether a link is there.
        let router = Router(context: IdentityContext.self, options: [.caseInsensitive])
        router.add(middleware: SecurityHeaders())
        router.add(middleware: ErrorAnswers(dialect: dialect))
        router.add(middleware: AuditedRequests())
        addRoutes(router)
        return router.buildResponder()
    }
}
