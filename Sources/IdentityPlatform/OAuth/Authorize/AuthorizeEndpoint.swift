// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import OAuth
internal import Redaction
internal import Storage

/// `/{tenant}/oauth2/v2.0/authorize` and its version 1 (`/{tenant}/oauth2/authorize`): grants the request of a
/// signed-in browser, shows the sign-in page to any other browser, and asks the questions that the request requires.
struct AuthorizeEndpoint: Sendable {
    let database: any Database
    let environment: ClockAndRandomness
    let storageKey: StorageKey
    let directory: DirectoryCache
    let resources: ResourceCatalogue
    let keys: TenantKeys
    let issuer: TokenIssuer
    let proofs: DeviceProofs
    let pages: Pages
    let signOn: BrowserSignOn
    let signIns: BrowserSignIns
    let signedIn: SignedInBrowser
    /// How long a code is valid.
    let codeLifetime: Duration
    /// Whether a request may have no `code_challenge`.
    let allowsMissingProofKey: Bool

    init(_ platform: Platform) {
        (database, environment) = (platform.database, platform.environment)
        (storageKey, directory) = (platform.storageKey, platform.directoryCache)
        (resources, keys, issuer) = (platform.resources, platform.keys, platform.issuer)
        (proofs, pages) = (platform.deviceProofs, platform.pages)
        (signOn, signIns) = (BrowserSignOn(platform), platform.browserSignIns)
        signedIn = platform.signedInBrowser
        codeLifetime = platform.configuration.lifetimes.authorizationCode
        allowsMissingProofKey = platform.configuration.compatibility.codeWithoutProofKey
    }

    func addRoutes(to router: Router<IdentityContext>) {
        for version in [TokenVersion.two, .one] {
            let path = PublishedEndpoint.authorization.route(version)
            router.get(path) { request, context in
                try await signOn.naming(request) { request in
                    try await guarded(request) {
                        try await authorize(request, context, by: try request.queryParameters(), in: version)
                    }
                }
            }
            router.post(path) { request, context in
                try await guarded(request) {
                    let form = try await request.form(limit: context.maxUploadSize)
                    // A browser credential is accepted only in a GET request, because only a GET request can be
                    // redirected with a fresh nonce.
                    guard BrowserSignOn.credential(in: request) == nil else {
                        return pages.redirect(
                            to: "\(request.ownPath)?\(form.encoded)", status: .seeOther,
                            in: Pages.setting(request))
                    }
                    return try await authorize(request, context, by: form, in: version)
                }
            }
        }
        SignIn(endpoint: self).addRoutes(to: router)
        AskedPage(endpoint: self).addRoutes(to: router)
    }

    private func authorize(
        _ request: Request, _ context: IdentityContext, by parameters: FormParameters, in version: TokenVersion
    ) async throws -> Response {
        var parameters = parameters
        if version == .one, parameters[Note.version] == nil { parameters.append(Note.version, version.rawValue) }
        let authorize = try await check(parameters, context)
        // The person who is signed in on the device takes precedence over the browser's session.
        var present = try await signOn.signedIn(request, authorize.tenant)
        if present == nil { present = try await signedIn.present(request, tenant: authorize.tenant) }
        try await signIns.renew(request)
        return try await goOn(authorize, for: present, by: request, done: [], status: .found)
    }

    /// A parameter that is added to the request. With it, the forms of our pages preserve the version of the endpoint
    /// that received the request. If a client sets this parameter itself, the only effect is that the response names
    /// the other version's issuer.
    private enum Note: String, WireName { case version = "x-baton-version" }

    /// Performs the next step of a request.
    ///
    /// - Throws: ``AuthorizeRequest/Refusal``, ``StorageError``
    func goOn(
        _ authorize: AuthorizeRequest, for present: (Session, User)?, by request: Request,
        done: AuthorizeRequest.Done, status: HTTPResponse.Status
    ) async throws -> Response {
        switch (authorize.step(for: present, done: done, at: environment.now()), present) {
        case (.grant, let (session, user)?):
            return try await grant(authorize, session, of: user, by: request, status: status)
        case (.chooseAccount, let present?):
            return try await AskedPage(endpoint: self).page(.account, about: authorize, to: present, request: request)
        case (.consent, let present?):
            return try await AskedPage(endpoint: self).page(.consent, about: authorize, to: present, request: request)
        case (.refuse(let error), _): throw AuthorizeRequest.Refusal.returned(error, authorize.address)
        default:
            let name = try await presumedName(authorize, present?.1)
            return try await SignIn(endpoint: self).page(authorize, request, username: name)
        }
    }

    /// Returns the user name to fill in on the sign-in page: the name from the hints, otherwise the name of the person
    /// who must sign in again.
    private func presumedName(_ authorize: AuthorizeRequest, _ present: User?) async throws -> String {
        if let hinted = authorize.hinted {
            let user = try await database.read { try Users($0).find(hinted, tenant: authorize.tenant.id) }
            return user?.userPrincipalName ?? ""
        }
        return authorize.loginHint ?? present?.userPrincipalName ?? ""
    }

    /// Finds the tenant and the client, and checks the request against them.
    ///
    /// - Throws: ``AuthorizeRequest/Refusal``, ``OAuthError``, ``StorageError``
    func check(_ parameters: FormParameters, _ context: IdentityContext) async throws -> AuthorizeRequest {
        let hint = parameters[ParameterName.loginHint] ?? parameters[ParameterName.domainHint]
        let tenant = try await directory.tenant(in: context, orOf: hint)
        guard let id = ClientID(rawValue: try parameters.required(.clientID)) else { throw OAuthError.unknownClient }
        let client = try await database.read { try Clients($0).usable(id, tenant: tenant.id) }
        let version = parameters[Note.version].flatMap(TokenVersion.init) ?? .two
        return try AuthorizeRequest(
            parameters,
            AuthorizeRequest.ValidationContext(
                tenant: tenant, client: client, issuer: issuer.issuer(tenant.id, version),
                resources: resources, keys: try await keys.all(of: tenant.id),
                allowsMissingProofKey: allowsMissingProofKey))
    }

    /// Issues a code for a session and sends the browser back to the client with the code.
    ///
    /// - Throws: ``OAuthError`` `otherPersonOnDevice` if the browser now belongs to another session of a shared device;
    ///   ``StorageError``
    func grant(
        _ authorize: AuthorizeRequest, _ session: Session, of user: User, by request: Request,
        status: HTTPResponse.Status
    ) async throws -> Response {
        let (code, record) = newCode(authorize, session, beganSession: false)
        let browser = BrowserID(request)
        try await database.write { connection in
            // The request was checked before this transaction, so the session and the application are checked again
            // here.
            _ = try LiveSession(session.id, tenant: session.tenant, connection)
            _ = try Clients(connection).usable(authorize.client.id, tenant: authorize.tenant.id)
            if let browser, try !DeviceBrowsers(connection).admits(session, in: browser) {
                throw OAuthError.otherPersonOnDevice
            }
            try AuthorizationCodes(connection).add(code, record)
        }
        return answer(authorize, session, of: user, with: code, by: request, status: status)
    }

    /// Returns a new code that is not stored yet.
    func newCode(
        _ request: AuthorizeRequest, _ session: Session, beganSession: Bool
    ) -> (OpaqueToken, AuthorizationCode) {
        let record = AuthorizationCode(
            tenant: request.tenant.id, session: session.id, client: request.client.id,
            redirectURI: request.redirect.text, scope: request.scopeText, challenge: request.challenge ?? "",
            nonce: request.nonce, family: TokenFamilyID(environment),
            beganSession: beganSession,
            expires: environment.now() + codeLifetime, redeemed: nil)
        return (OpaqueToken(tenant: request.tenant.id, environment: environment), record)
    }

    func answer(
        _ authorize: AuthorizeRequest, _ session: Session, of user: User, with code: OpaqueToken, by request: Request,
        status: HTTPResponse.Status
    ) -> Response {
        var fields = FormParameters()
        fields.append(ParameterName.code, code.text.exposed)
        fields.append(ParameterName.state, authorize.address.state)
        fields.append(ParameterName.issuer, authorize.address.issuer)
        fields.append(ParameterName.sessionState, session.id.rawValue)
        if authorize.wantsClientInfo { fields.append(ParameterName.clientInfo, TokenIssuer.clientInfo(user)) }
        return pages.answer(fields, to: authorize.address, status: status, in: Pages.setting(request))
    }

    /// Runs a route and turns its refusals into a redirect or an error page.
    func guarded(_ request: Request, _ route: () async throws -> Response) async throws -> Response {
        do {
            return try await route()
        } catch let stale as BrowserSignOn.StaleNonce {
            return pages.redirect(to: stale.address, status: .found, in: Pages.setting(request))
        } catch AuthorizeRequest.Refusal.returned(let error, let address) {
            var fields = FormParameters()
            fields.append(ParameterName.error, error.code.rawValue)
            fields.append(ParameterName.errorDescription, error.wireDescription)
            fields.append(ParameterName.state, address.state)
            fields.append(ParameterName.issuer, address.issuer)
            return pages.answer(fields, to: address, status: .found, in: Pages.setting(request))
        } catch AuthorizeRequest.Refusal.shown(let error) {
            return pages.refusal(error, in: Pages.setting(request))
        } catch let error as OAuthError {
            return pages.refusal(error, in: Pages.setting(request))
        }
    }
}
