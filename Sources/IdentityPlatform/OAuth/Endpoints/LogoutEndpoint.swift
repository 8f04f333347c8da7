// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import OAuth
internal import Redaction
internal import Storage

/// `/{tenant}/oauth2/v2.0/logout` and its version 1 (`/{tenant}/oauth2/logout`): ends the browser's session and thereby
/// invalidates all tokens of the session (OpenID Connect RP-Initiated Logout 1.0). It redirects only to a URI that is
/// registered as a post-logout URI of the requesting client.
///
/// Any page on any site can send a browser here. A session therefore ends at once only if the request contains an id
/// token of that session; otherwise the person is asked (section 2: "the OP SHOULD ask the End-User").
struct LogoutEndpoint: Sendable {
    let database: any Database
    let environment: ClockAndRandomness
    let directory: DirectoryCache
    let keys: TenantKeys
    let pages: Pages

    func addRoutes(to router: Router<IdentityContext>) {
        for path in PublishedEndpoint.endSession.routes {
            router.get(path) { request, context in
                try await logout(request, context, by: try request.queryParameters())
            }
            router.post(path) { request, context in
                let form = try await request.form(limit: context.maxUploadSize)
                // A POST from another site arrives without our cookies, so the answer is a page from which the browser
                // repeats the request.
                guard form[Field.repeated] == nil, HostCookie.session.value(in: request) == nil else {
                    return try await logout(request, context, by: form)
                }
                let fields = Pages.fields(of: form) + [(Field.repeated.rawValue, "1")]
                return pages.resubmit(to: request.ownPath, fields: fields, in: Pages.setting(request))
            }
        }
    }

    private enum Field: String, WireName { case csrf, repeated }

    private func logout(
        _ request: Request, _ context: IdentityContext, by parameters: FormParameters
    ) async throws -> Response {
        let tenant = try await directory.tenant(in: context)
        let cookie = HostCookie.session.value(in: request).flatMap(OpaqueToken.init)
            .flatMap { tenant == nil || tenant?.id == $0.tenant ? $0 : nil }
        if let cookie, let session = try await session(of: cookie) {
            guard try await isWanted(session, by: request, parameters) else {
                return try await question(request, parameters, about: session)
            }
            try await end(session)
        }
        var response = try await answer(request, parameters, of: tenant)
        if cookie != nil { HostCookie.session.clear(on: &response) }
        return response
    }

    private func session(of cookie: OpaqueToken) async throws -> Session? {
        let now = environment.now()
        return try await database.read { try BrowserSessions($0).session(cookie, at: now) }
    }

    /// Whether the person has confirmed on our page, or the client has an id token of this session.
    private func isWanted(_ session: Session, by request: Request, _ parameters: FormParameters) async throws -> Bool {
        if request.method == .post, let field = parameters[Field.csrf], let cookie = HostCookie.csrf.value(in: request)
        {
            return equalInConstantTime(Array(field.utf8), Array(cookie.utf8))
        }
        guard let hint = try await hint(parameters, session.tenant), hint.session == session.id else { return false }
        return names(hint, parameters)
    }

    private func end(_ session: Session) async throws {
        let now = environment.now()
        try await database.write { connection in
            try Sessions(connection).end(
                session.id, tenant: session.tenant, at: now, because: .signedOut, by: session.user.rawValue)
        }
    }

    /// Returns the page that asks the person for confirmation. Its form repeats the fields of the request.
    private func question(
        _ request: Request, _ parameters: FormParameters, about session: Session
    ) async throws -> Response {
        let csrf = HostCookie.csrf.word(in: request) ?? Base64URL.encode(environment.randomBytes(32))
        let own = [Field.csrf.rawValue, Field.repeated.rawValue]
        let fields = Pages.fields(of: parameters).filter { !own.contains($0.name) } + [(Field.csrf.rawValue, csrf)]
        let target = try await target(parameters, session.tenant)
        let user = try await database.read { try Users($0).find(session.user, tenant: session.tenant) }
        var response = pages.signOut(
            user?.userPrincipalName ?? "", to: request.ownPath, fields: fields, leadingTo: target,
            in: try await setting(request, parameters, of: session.tenant))
        if HostCookie.csrf.word(in: request) == nil { HostCookie.csrf.set(csrf, on: &response) }
        return response
    }

    private func answer(
        _ request: Request, _ parameters: FormParameters, of tenant: Tenant?
    ) async throws -> Response {
        guard let tenant, let target = try await target(parameters, tenant.id) else {
            let setting = try await pages.setting(request, parameters: parameters, tenant: tenant)
            return pages.message(.signedOut, .signedOutText, in: setting)
        }
        var fields = FormParameters()
        fields.append(ParameterName.state, parameters[ParameterName.state])
        return pages.redirect(
            to: fields.names.isEmpty ? target.text : target.appending(fields), status: .seeOther,
            in: Pages.setting(request))
    }

    private func setting(
        _ request: Request, _ parameters: FormParameters, of tenant: TenantID
    ) async throws -> PageSetting {
        let tenant = try await database.read { try Tenants($0).find(tenant) }
        return try await pages.setting(request, parameters: parameters, tenant: tenant)
    }

    /// Returns the redirect target if the client is known and has registered the target.
    private func target(_ parameters: FormParameters, _ tenant: TenantID) async throws -> RedirectURI? {
        guard let uri = parameters[ParameterName.postLogoutRedirectURI].flatMap(RedirectURI.init) else { return nil }
        let hint = try await hint(parameters, tenant)
        guard let id = parameters[ParameterName.clientID].map(ClientID.init(rawValue:)) ?? hint?.client else {
            return nil
        }
        if let hint, !names(hint, parameters) { return nil }
        let client = try await database.read { try Clients($0).find(id, tenant: tenant) }
        return client?.allowsReturn(to: uri) == true ? uri : nil
    }

    /// Returns the client's id token hint if this platform issued it.
    private func hint(_ parameters: FormParameters, _ tenant: TenantID) async throws -> IDTokenHint? {
        guard let text = parameters[ParameterName.idTokenHint] else { return nil }
        return IDTokenHint(text, keys: try await keys.all(of: tenant))
    }

    /// Whether the token was issued to the client that the request names; true if the request names no client (section
    /// 2: "the OP MUST verify that the Client Identifier matches the one used as the audience of the ID Token").
    private func names(_ hint: IDTokenHint, _ parameters: FormParameters) -> Bool {
        guard let named = parameters[ParameterName.clientID] else { return true }
        return ClientID(rawValue: named) == hint.client
    }
}
