// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird

extension Platform {
    /// The handlers of the token endpoint.
    var grants: [any GrantHandler] {
        [
            AuthorizationCodeGrant(platform: self), RefreshTokenGrant(platform: self),
            PasswordGrant(platform: self), DeviceCodeGrant(platform: self), NonceGrant(platform: self),
            SignedRequestGrant(platform: self),
        ]
    }

    /// What answers on the platform's listener, by host name.
    package func responder() -> HostResponder {
        let names = configuration.names
        let graph = router(GraphDialect(environment: environment, challenge: accessTokens.challenge)) { router in
            GraphEndpoints(platform: self).addRoutes(to: router)
            UserInfoEndpoint(platform: self).addRoutes(to: router, at: "/oidc/userinfo")
        }
        let registration = router(RegistrationDialect()) { router in
            DeviceRegistrationEndpoints(platform: self).addRoutes(to: router)
        }
        let login = router(OAuthDialect(environment: environment)) { router in
            AuthorizeEndpoint(platform: self).addRoutes(to: router)
            TokenEndpoint(platform: self, grants: grants).addRoutes(to: router)
            LogoutEndpoint(platform: self).addRoutes(to: router)
            EndSessionEndpoint(platform: self).addRoutes(to: router)
            SessionStateEndpoint(platform: self).addRoutes(to: router)
            ReceiptAnchorEndpoint(platform: self).addRoutes(to: router)
            OfflineLeaseEndpoint(platform: self).addRoutes(to: router)
            RevocationEndpoint(platform: self).addRoutes(to: router)
            IntrospectionEndpoint(platform: self).addRoutes(to: router)
            DeviceAuthorizationEndpoint(platform: self).addRoutes(to: router)
            DevicePage(platform: self).addRoutes(to: router)
            UserInfoEndpoint(platform: self).addRoutes(to: router, at: "/{tenant}/openid/userinfo")
            DiscoveryEndpoints.addKeyRoutes(to: router, self)
            // The last one: it tells what the others serve.
            DiscoveryEndpoints(platform: self, login: ServedPaths(router), graph: ServedPaths(graph))
                .addRoutes(to: router)
        }
        return HostResponder([
            [names.login] + names.aliases.login: login.buildResponder(),
            [names.deviceRegistration] + names.aliases.deviceRegistration: registration.buildResponder(),
            [names.graph] + names.aliases.graph: GraphAddress(next: graph.buildResponder()),
        ])
    }

    private func router(
        _ dialect: some ErrorDialect, _ addRoutes: (Router<IdentityContext>) -> Void
    ) -> Router<IdentityContext> {
        // No HEAD: it would run routes that sign in or out for a program that only looks whether a link is there.
        let router = Router(context: IdentityContext.self, options: [.caseInsensitive])
        router.add(middleware: SecurityHeaders())
        router.add(middleware: ErrorMiddleware(dialect: dialect))
        router.add(middleware: AuditedRequests())
        addRoutes(router)
        return router
    }
}
