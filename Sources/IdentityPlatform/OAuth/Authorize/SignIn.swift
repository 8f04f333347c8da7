// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import OAuth
internal import Redaction
internal import Storage
internal import WebPages

/// `/{tenant}/login`: the form of the sign-in page. Its hidden field must match its cookie, and no other site can make
/// them match (double submit with a `__Host-` cookie).
struct SignIn: Sendable {
    let endpoint: AuthorizeEndpoint

    func addRoutes(to router: Router<IdentityContext>) {
        router.post(RouterPath(AuthorizeForm.login.path(tenant: "{tenant}"))) { request, context in
            try await endpoint.guarded(request) { try await signIn(request, context) }
        }
    }

    private enum Field: String, WireName { case csrf, language, password, request, username }

    /// Returns the sign-in page, with the error of the last attempt if there was one.
    func page(
        _ authorize: AuthorizeRequest, _ request: Request, username: String, alert: OAuthError? = nil
    ) async throws -> Response {
        let known = HostCookie.csrf.word(in: request)
        let csrf = known ?? Base64URL.encode(endpoint.environment.randomBytes(32))
        let devices = SignInPageDevice(endpoint, tenant: authorize.tenant.id)
        let parameters = try await devices.noted(authorize.parameters, word: csrf)
        var response = endpoint.pages.signIn(
            Pages.SignIn(
                client: authorize.client.displayName, action: AuthorizeForm.login.path(tenant: request.tenantName),
                request: parameters.encoded, csrf: csrf, username: username, alert: alert,
                device: try await devices.name(by: parameters, word: csrf), offersLanguages: true),
            in: try await endpoint.pages.setting(request, parameters: parameters, tenant: authorize.tenant),
            redirect: authorize.redirect, status: alert?.status ?? .ok)
        if known == nil { HostCookie.csrf.set(csrf, on: &response) }
        return response
    }

    private func signIn(_ request: Request, _ context: IdentityContext) async throws -> Response {
        let form = try await request.form(limit: context.maxUploadSize)
        var parameters = try FormParameters(checking: (form[Field.request] ?? "").utf8)
        if let chosen = form[Field.language].flatMap({ Language(tag: $0) }) {
            parameters.replace(ParameterName.uiLocales, chosen.rawValue)
            let authorize = try await endpoint.check(parameters, context)
            return try await page(authorize, request, username: form[Field.username] ?? "")
        }
        let authorize = try await endpoint.check(parameters, context)
        let username = authorize.tenant.userName(typed: form[Field.username] ?? "")
        guard let cookie = HostCookie.csrf.word(in: request), let field = form[Field.csrf],
            equalInConstantTime(Array(cookie.utf8), Array(field.utf8))
        else { return try await page(authorize, request, username: username, alert: .staleForm) }
        let device = SignInPageDevice(endpoint, tenant: authorize.tenant.id).named(
            by: parameters, word: cookie)
        let origin = SignInOrigin(context.client, browser: request, device: device)
        let attempt = BrowserSignIns.Attempt(
            request: request, origin: origin, tenant: authorize.tenant.id, client: authorize.client.id, method: .page,
            name: username, password: SecretBytes(copying: Array((form[Field.password] ?? "").utf8)))
        let signIns = endpoint.signIns
        let outcome = try await signIns.run(attempt) {
            try await begin(authorize, with: $0, by: request, in: BrowserID(word: cookie))
        }
        switch outcome {
        case .begun(let begun, let checked):
            var response = try await answer(authorize, begun, to: request)
            HostCookie.session.set(begun.cookie.text.exposed, on: &response)
            try signIns.remember(checked, in: request, on: &response)
            return response
        case .refused(let alert):
            return try await page(authorize, request, username: username, alert: alert)
        }
    }

    /// Begins the session and the browser session and, if no question is left, issues the code, all in one transaction.
    /// Returns nil if the password is no longer valid for the person.
    ///
    /// - Throws: ``AuthorizeRequest/Refusal`` if the request is for another person. In that case no session begins.
    private func begin(
        _ authorize: AuthorizeRequest, with checked: CheckedPassword, by request: Request, in browser: BrowserID
    ) async throws -> Begun? {
        let former = HostCookie.session.value(in: request).flatMap(OpaqueToken.init)
        let cookie = OpaqueToken(tenant: authorize.tenant.id, environment: endpoint.environment)
        let id = endpoint.environment.identifier(of: Session.self)
        return try await endpoint.database.write { [endpoint] connection -> Begun? in
            let now = endpoint.environment.now()
            _ = try Clients(connection).usable(authorize.client.id, tenant: authorize.tenant.id)
            let signIn = BrowserSignIn(
                session: id, cookie: cookie, browser: browser, former: former, client: authorize.client.id,
                method: .page)
            let begun = try signIn.begin(checked, by: endpoint.signIns, at: now, in: connection) { user in
                guard authorize.allows(user) else {
                    throw AuthorizeRequest.Refusal.returned(.signInRequired, authorize.address)
                }
            }
            guard let (user, session) = begun else { return nil }
            guard authorize.step(for: (session, user), done: .signIn, at: now) == .grant else {
                return Begun(user: user, session: session, cookie: cookie, code: nil)
            }
            let (code, record) = endpoint.newCode(authorize, session, beganSession: true)
            try AuthorizationCodes(connection).add(code, record)
            return Begun(user: user, session: session, cookie: cookie, code: code)
        }
    }

    private func answer(_ authorize: AuthorizeRequest, _ begun: Begun, to request: Request) async throws -> Response {
        if let code = begun.code {
            return endpoint.answer(authorize, begun.session, of: begun.user, with: code, by: request, status: .seeOther)
        }
        return try await endpoint.goOn(
            authorize, for: (begun.session, begun.user), by: request, done: .signIn, status: .seeOther)
    }

    private struct Begun: Sendable {
        let user: User
        let session: Session
        let cookie: OpaqueToken
        /// The code; nil if the person must still be asked a question.
        let code: OpaqueToken?
    }
}
