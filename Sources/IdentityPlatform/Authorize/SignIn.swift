// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import OAuth
internal import Redaction
internal import Storage

/// `/{tenant}/login`: the page's form. Its cookie and its hidden field have to agree, which no other site can bring
/// about (double submit with a `__Host-` cookie).
struct SignIn: Sendable {
    let endpoint: AuthorizeEndpoint

    private var platform: Platform { endpoint.platform }

    func addRoutes(to router: Router<IdentityContext>) {
        router.post("/{tenant}/login") { request, context in
            try await endpoint.guarded { try await signIn(request, context) }
        }
    }

    private enum Field: String, WireName { case csrf, password, request, username }

    /// The page, with a word about what went wrong the last time.
    func page(
        _ authorize: AuthorizeRequest, _ request: Request, username: String, alert: OAuthError? = nil
    ) -> Response {
        let known = HostCookie.csrf.value(in: request).flatMap { (try? Base64URL.decode($0))?.count == 32 ? $0 : nil }
        let csrf = known ?? Base64URL.encode(platform.ambient.randomBytes(32))
        var response = platform.pages.signIn(
            Pages.SignIn(
                tenant: authorize.tenant.displayName, client: authorize.client.displayName,
                action: "/\(authorize.tenant.id)/login", request: authorize.parameters.encoded, csrf: csrf,
                username: username, alert: alert?.wireDescription),
            redirect: authorize.redirect, status: alert?.status ?? .ok)
        if known == nil { HostCookie.csrf.set(csrf, on: &response) }
        return response
    }

    private func signIn(_ request: Request, _ context: IdentityContext) async throws -> Response {
        let form = try await request.form(limit: context.maxUploadSize)
        let parameters = try FormParameters(checking: (form[Field.request] ?? "").utf8)
        let authorize = try await endpoint.check(parameters, context)
        let username = form[Field.username] ?? ""
        guard let cookie = HostCookie.csrf.value(in: request), let field = form[Field.csrf],
            equalInConstantTime(Array(cookie.utf8), Array(field.utf8))
        else { return page(authorize, request, username: username, alert: .staleForm) }
        let user: User?
        do {
            user = try await platform.passwords.verify(
                name: username, password: SecretBytes(copying: Array((form[Field.password] ?? "").utf8)),
                tenant: authorize.tenant.id)
        } catch is HashingPool.Busy {
            return page(authorize, request, username: username, alert: .busy)
        }
        guard let user else {
            try await platform.recordFailedSignIn(
                name: username, tenant: authorize.tenant.id, client: authorize.client.id)
            return page(authorize, request, username: username, alert: .badCredentials)
        }
        return try await begin(authorize, user, request)
    }

    /// Begins session and browser session and issues the code, in one transaction.
    private func begin(_ authorize: AuthorizeRequest, _ user: User, _ request: Request) async throws -> Response {
        let former = HostCookie.session.value(in: request).flatMap(OpaqueToken.init)
        let cookie = OpaqueToken(tenant: user.tenant, ambient: platform.ambient)
        let id = platform.ambient.identifier(of: Session.self)
        let (session, code) = try await platform.database.write { [platform] connection in
            let now = platform.ambient.now()
            let session = try Sessions(connection).begin(
                id, user: user, methods: [AuthenticationMethod.password], at: now)
            if let former { try BrowserSessions(connection).forget(former) }
            try BrowserSessions(connection).begin(
                cookie, session: session, expires: now + platform.configuration.lifetimes.browserSession)
            let (code, record) = endpoint.newCode(authorize, session)
            try AuthorizationCodes(connection).add(code, record)
            try AuditLog(connection).append(
                .signIn, tenant: user.tenant, actor: user.id.rawValue, subject: authorize.client.id.rawValue, at: now)
            return (session, code)
        }
        var response = endpoint.answer(authorize, session, user, code, status: .seeOther)
        HostCookie.session.set(cookie.text.exposed, on: &response)
        return response
    }
}

extension Platform {
    /// Records a refused sign-in, by object id where there is such a person.
    ///
    /// - Throws: ``StorageError``
    package func recordFailedSignIn(name: String, tenant: TenantID, client: ClientID) async throws {
        try await database.write { connection in
            let user = try Users(connection).find(name: name, tenant: tenant)
            try AuditLog(connection).append(
                .signIn, tenant: tenant, actor: user?.id.rawValue ?? "unknown", subject: client.rawValue,
                outcome: "refused", at: ambient.now())
        }
    }
}
