// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird

extension Platform {
    /// The handlers of the token endpoint.
    var grants: [any GrantHandler] {
        [
            AuthorizationCodeGrant(platform: self), RefreshTokenGrant(platform: self), NonceGrant(platform: self),
            SignedRequestGrant(platform: self),
        ]
    }

    /// What answers on the platform's listener, by host name.
    package func responder() -> HostResponder {
        let names = configuration.names
        return HostResponder([
            names.login: router(errors: ErrorResponses(ambient: ambient)) { router in
                DiscoveryEndpoints(platform: self).addRoutes(to: router)
                AuthorizeEndpoint(platform: self).addRoutes(to: router)
                TokenEndpoint(platform: self, grants: grants).addRoutes(to: router)
                LogoutEndpoint(platform: self).addRoutes(to: router)
                EndSessionEndpoint(platform: self).addRoutes(to: router)
            },
            names.deviceRegistration: router(errors: RegistrationErrors()) { router in
                DeviceRegistrationEndpoints(platform: self).addRoutes(to: router)
            },
            names.graph: router(errors: GraphErrors(ambient: ambient)) { router in
                GraphEndpoints(platform: self).addRoutes(to: router)
            },
        ])
    }

    private func router(
        errors: some RouterMiddleware<IdentityContext>, _ addRoutes: (Router<IdentityContext>) -> Void
    ) -> any HTTPResponder<IdentityContext> {
        let router = Router(context: IdentityContext.self, options: [.caseInsensitive, .autoGenerateHeadEndpoints])
        router.add(middleware: SecurityHeaders())
        router.add(middleware: errors)
        addRoutes(router)
        return router.buildResponder()
    }
}
