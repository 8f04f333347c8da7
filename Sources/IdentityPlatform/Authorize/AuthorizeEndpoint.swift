// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import OAuth
internal import Redaction
internal import Storage

/// `/{tenant}/oauth2/v2.0/authorize`: lets a signed-in browser through, shows the sign-in page to any other.
struct AuthorizeEndpoint: Sendable {
    let platform: Platform

    func addRoutes(to router: Router<IdentityContext>) {
        router.get("/{tenant}/oauth2/v2.0/authorize") { request, context in
            try await guarded { try await authorize(request, context, try request.queryParameters()) }
        }
        router.post("/{tenant}/oauth2/v2.0/authorize") { request, context in
            try await guarded {
                try await authorize(request, context, try await request.form(limit: context.maxUploadSize))
            }
        }
        SignIn(endpoint: self).addRoutes(to: router)
    }

    private func authorize(
        _ request: Request, _ context: IdentityContext, _ parameters: FormParameters
    ) async throws -> Response {
        let authorize = try await check(parameters, context)
        if let (session, user) = try await signedIn(request, authorize.tenant),
            authorize.accepts(session, of: user, at: platform.ambient.now())
        {
            return try await grant(authorize, session, user, status: .found)
        }
        guard authorize.prompt != .none else {
            throw AuthorizeRequest.Refusal.returned(.signInRequired, authorize.address)
        }
        return SignIn(endpoint: self).page(authorize, request, username: authorize.loginHint ?? "")
    }

    /// Finds tenant and client and checks the request against them.
    ///
    /// - Throws: ``AuthorizeRequest/Refusal``, ``OAuthError``, ``StorageError``
    func check(_ parameters: FormParameters, _ context: IdentityContext) async throws -> AuthorizeRequest {
        let hint = parameters[ParameterName.loginHint] ?? parameters[ParameterName.domainHint]
        let tenant = try await platform.tenant(in: context, orOf: hint)
        guard let id = ClientID(rawValue: try parameters.required(.clientID)) else { throw OAuthError.unknownClient }
        let client = try await platform.database.read { try Clients($0).find(id, tenant: tenant.id) }
        guard let client else { throw OAuthError.unknownClient }
        return try AuthorizeRequest(parameters, tenant: tenant, client: client, resources: platform.resources)
    }

    /// Who is signed in in this browser.
    func signedIn(_ request: Request, _ tenant: Tenant) async throws -> (Session, User)? {
        // Who is signed in on the device comes before whom the browser remembers.
        if let present = try await BrowserSignOn(platform: platform).signedIn(request, tenant) { return present }
        guard let cookie = HostCookie.session.value(in: request).flatMap(OpaqueToken.init), cookie.tenant == tenant.id
        else { return nil }
        let now = platform.ambient.now()
        return try await platform.database.read { connection -> (Session, User)? in
            guard let session = try BrowserSessions(connection).session(cookie, at: now) else { return nil }
            do {
                let live = try LiveSession(session.id, tenant: tenant.id, connection)
                return (live.session, live.person)
            } catch is OAuthError {
                return nil
            }
        }
    }

    /// Issues a code for a session and sends the browser back with it.
    func grant(
        _ request: AuthorizeRequest, _ session: Session, _ user: User, status: HTTPResponse.Status
    ) async throws -> Response {
        let (code, record) = newCode(request, session, beganSession: false)
        try await platform.database.write { try AuthorizationCodes($0).add(code, record) }
        return answer(request, session, user, code, status: status)
    }

    /// A code that is not in the database yet.
    func newCode(
        _ request: AuthorizeRequest, _ session: Session, beganSession: Bool
    ) -> (OpaqueToken, AuthorizationCode) {
        let record = AuthorizationCode(
            tenant: request.tenant.id, session: session.id, client: request.client.id,
            redirectURI: request.redirect.text, scope: request.scopeText, challenge: request.challenge,
            nonce: request.nonce, family: platform.ambient.identifier(of: AuthorizationCode.self).rawValue,
            beganSession: beganSession,
            expires: platform.ambient.now() + platform.configuration.lifetimes.authorizationCode, redeemed: nil)
        return (OpaqueToken(tenant: request.tenant.id, ambient: platform.ambient), record)
    }

    func answer(
        _ request: AuthorizeRequest, _ session: Session, _ user: User, _ code: OpaqueToken,
        status: HTTPResponse.Status
    ) -> Response {
        var fields = FormParameters()
        fields.append(ParameterName.code, code.text.exposed)
        fields.append(ParameterName.state, request.state)
        fields.append(ParameterName.sessionState, session.id.rawValue)
        if request.wantsClientInfo { fields.append(ParameterName.clientInfo, TokenIssuer.clientInfo(user)) }
        return platform.pages.answer(fields, to: request.address, status: status)
    }

    /// Runs a route and turns its refusals into a redirect or a page.
    func guarded(_ route: () async throws -> Response) async throws -> Response {
        do {
            return try await route()
        } catch let stale as BrowserSignOn.StaleNonce {
            return platform.pages.redirect(to: stale.address, status: .found)
        } catch AuthorizeRequest.Refusal.returned(let error, let address) {
            var fields = FormParameters()
            fields.append(ParameterName.error, error.code.rawValue)
            fields.append(ParameterName.errorDescription, error.wireDescription)
            fields.append(ParameterName.state, address.state)
            return platform.pages.answer(fields, to: address, status: .found)
        } catch AuthorizeRequest.Refusal.shown(let error) {
            return refusal(error)
        } catch let error as OAuthError {
            return refusal(error)
        }
    }

    private func refusal(_ error: OAuthError) -> Response {
        platform.pages.message(
            title: "Sign-in is not possible", text: error.wireDescription, isAlert: true, status: error.status)
    }
}
