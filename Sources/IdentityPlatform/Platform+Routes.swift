// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird

extension Platform {
    /// The handlers of the token endpoint.
    var grants: [any GrantHandler] {
        let grants: [any GrantHandler] = [
            AuthorizationCodeGrant(tokens: tokens, issuer: issuer), RefreshTokenGrant(tokens: tokens, issuer: issuer),
            PasswordGrant(
                isAllowed: configuration.compatibility.passwordGrant, tokens: tokens, issuer: issuer,
                environment: environment, directory: directoryCache, passwords: passwords,
                failedSignIns: failedSignIns, metrics: metrics),
            DeviceCodeGrant(tokens: tokens, issuer: issuer, environment: environment), NonceGrant(nonces: nonces),
            SignedRequestGrant(self),
        ]
        // No other resource has tokens for applications that act for themselves.
        return resources.administration == nil ? grants : grants + [ClientCredentialsGrant(self)]
    }

    /// The responder of the platform's listener, which dispatches by host name.
    package func responder() -> HostResponder {
        let names = configuration.names
        let userInfo = UserInfoEndpoint(accessTokens: accessTokens, resource: resources.graph)
        let graph = router(GraphDialect(environment: environment, challenge: accessTokens.challenge)) { router in
            GraphEndpoints(self).addRoutes(to: router)
            userInfo.addRoutes(to: router, at: "/oidc/userinfo")
        }
        let registration = router(RegistrationDialect()) { router in
            DeviceRegistrationEndpoints(self).addRoutes(to: router)
        }
        let login = router(OAuthDialect(environment: environment, pages: pages)) { router in
            PageAsset.addRoutes(to: router)
            BrandingAssets(database: database, directory: directoryCache).addRoutes(to: router)
            AuthorizeEndpoint(self).addRoutes(to: router)
            TokenEndpoint(directory: directoryCache, grants: grants, metrics: metrics).addRoutes(to: router)
            LogoutEndpoint(
                database: database, environment: environment, directory: directoryCache, keys: keys, pages: pages
            ).addRoutes(to: router)
            addDeviceRoutes(to: router)
            RevocationEndpoint(database: database, environment: environment, directory: directoryCache)
                .addRoutes(to: router)
            IntrospectionEndpoint(
                database: database, environment: environment, directory: directoryCache, accessTokens: accessTokens,
                resources: resources
            ).addRoutes(to: router)
            DeviceAuthorizationEndpoint(
                database: database, environment: environment, directory: directoryCache, configuration: configuration,
                resources: resources, storageKey: storageKey, metrics: metrics
            ).addRoutes(to: router)
            DevicePage(self).addRoutes(to: router)
            userInfo.addRoutes(to: router, at: "/{tenant}/openid/userinfo")
            KeySetEndpoint(database: database, directory: directoryCache, keys: keys).addRoutes(to: router)
            // These routes are added last, because the discovery documents list the routes that were added before.
            DiscoveryEndpoints(self, login: ServedPaths(router), graph: ServedPaths(graph))
                .addRoutes(to: router)
        }
        return HostResponder(
            [
                [names.login] + names.aliases.login: login.buildResponder(),
                [names.deviceRegistration] + names.aliases.deviceRegistration: registration.buildResponder(),
                [names.graph] + names.aliases.graph: GraphAddress(next: graph.buildResponder()),
            ],
            routes: [login, registration, graph].flatMap { router in
                router.routes.map { ($0.method, $0.path.description) }
            }, environment: environment)
    }

    /// Adds the endpoints for requests that are signed by devices.
    private func addDeviceRoutes(to router: Router<IdentityContext>) {
        EndSessionEndpoint(
            database: database, environment: environment, directory: directoryCache, proofs: deviceProofs
        ).addRoutes(to: router)
        LeaveEndpoint(
            database: database, environment: environment, directory: directoryCache, proofs: deviceProofs
        ).addRoutes(to: router)
        SessionStateEndpoint(directory: directoryCache, requests: sessionStatusRequests).addRoutes(to: router)
        ReceiptAnchorEndpoint(
            database: database, environment: environment, directory: directoryCache, proofs: deviceProofs,
            authorities: receiptAuthorities
        ).addRoutes(to: router)
        OfflineLeaseEndpoint(
            database: database, environment: environment, directory: directoryCache, proofs: deviceProofs,
            authorities: receiptAuthorities, keys: keys
        ).addRoutes(to: router)
    }

    private func router(
        _ dialect: some ErrorDialect, _ addRoutes: (Router<IdentityContext>) -> Void
    ) -> Router<IdentityContext> {
        // HEAD requests are not served: otherwise, a program that only checks whether a link works would trigger a
        // route that signs a person in or out.
        let router = Router(context: IdentityContext.self, options: [.caseInsensitive])
        router.add(middleware: SecurityHeaders())
        router.add(middleware: ErrorMiddleware(dialect: dialect))
        addRoutes(router)
        return router
    }
}
