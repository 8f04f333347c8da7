// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import OAuth
internal import Storage

/// `/{tenant}/oauth2/v2.0/logout`: ends the browser's session and with it all its tokens (OpenID Connect RP-Initiated
/// Logout 1.0). It leads on to a URI only if that is registered for the client that asks.
struct LogoutEndpoint: Sendable {
    let platform: Platform

    func addRoutes(to router: Router<IdentityContext>) {
        router.get("/{tenant}/oauth2/v2.0/logout") { request, context in
            try await logout(request, context, try request.queryParameters())
        }
        router.post("/{tenant}/oauth2/v2.0/logout") { request, context in
            try await logout(request, context, try await request.form(limit: context.maxUploadSize))
        }
    }

    private func logout(
        _ request: Request, _ context: IdentityContext, _ parameters: FormParameters
    ) async throws -> Response {
        let tenant = try await platform.tenant(in: context)
        if let cookie = HostCookie.session.value(in: request).flatMap(OpaqueToken.init) { try await end(cookie) }
        var response: Response
        if let target = try await target(parameters, tenant) {
            var fields = FormParameters()
            fields.append(ParameterName.state, parameters[ParameterName.state])
            response = platform.pages.redirect(
                to: fields.names.isEmpty ? target.text : target.appending(fields), status: .seeOther)
        } else {
            response = platform.pages.message(
                title: "Signed out", text: "You are signed out. You can close this window.")
        }
        HostCookie.session.clear(on: &response)
        return response
    }

    private func end(_ cookie: OpaqueToken) async throws {
        try await platform.database.write { [platform] connection in
            let now = platform.ambient.now()
            guard let session = try BrowserSessions(connection).session(cookie, at: now) else { return }
            try Sessions(connection).end(session.id, tenant: session.tenant, at: now)
            try AuditLog(connection).append(
                .sessionEnded, tenant: session.tenant, actor: session.user.rawValue, subject: session.id.rawValue,
                at: now)
        }
    }

    /// The URI to go to, if the client is known and has registered it.
    private func target(_ parameters: FormParameters, _ tenant: Tenant?) async throws -> RedirectURI? {
        guard let tenant, let uri = parameters[ParameterName.postLogoutRedirectURI].flatMap(RedirectURI.init),
            let id = clientID(parameters).flatMap(ClientID.init(rawValue:))
        else { return nil }
        let client = try await platform.database.read { try Clients($0).find(id, tenant: tenant.id) }
        return client?.allowsRedirect(to: uri) == true ? uri : nil
    }

    /// The client that asks: by its id, or by the audience of the id token it shows. Nothing is granted to it, so the
    /// token's signature and age do not matter; what counts is the registration.
    private func clientID(_ parameters: FormParameters) -> String? {
        if let id = parameters[ParameterName.clientID] { return id }
        guard let hint = parameters[ParameterName.idTokenHint], let token = try? CompactJWS(hint),
            let claims = try? token.claims()
        else { return nil }
        return try? claims.string(ClaimName.audience)
    }
}
