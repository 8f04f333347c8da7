// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import OAuth
internal import Redaction
internal import Storage

/// `/{tenant}/oauth2/deviceauth`: the page on which a person enters the code from another screen, signs in, and
/// confirms the sign-in (RFC 8628 section 3.3). Every form is valid only with the cookie of the same browser.
struct DevicePage: Sendable {
    let database: any Database
    let environment: ClockAndRandomness
    let directory: DirectoryCache
    let storageKey: StorageKey
    let pages: Pages
    let signOn: BrowserSignOn
    let signIns: BrowserSignIns
    let signedIn: SignedInBrowser
    let metrics: IdentityMetrics
    private let lifetime: Duration

    init(_ platform: Platform) {
        lifetime = platform.configuration.lifetimes.deviceCode
        (database, environment) = (platform.database, platform.environment)
        (directory, storageKey, pages) = (platform.directoryCache, platform.storageKey, platform.pages)
        (signOn, signIns) = (BrowserSignOn(platform), platform.browserSignIns)
        (signedIn, metrics) = (platform.signedInBrowser, platform.metrics)
    }

    static let path = "/oauth2/deviceauth"

    enum Field: String, WireName { case choice, csrf, password, request, username }

    /// A submitted form of our page, and the device code that it names.
    struct FormSubmission: Sendable {
        let request: Request
        let tenant: Tenant
        let form: FormParameters
        let peer: PeerAddress
        let browser: BrowserID
        let code: UserCode
        let record: DeviceCode
    }

    private typealias Step = @Sendable (FormSubmission) async throws -> Response

    func addRoutes(to router: Router<IdentityContext>) {
        router.get("/devicelogin") { request, _ in
            pages.redirect(to: "/common\(Self.path)", status: .found, in: Pages.setting(request))
        }
        router.get("/{tenant}/oauth2/deviceauth") { request, context in
            try await signOn.naming(request) { request in
                try await shown(request, in: context) { tenant in
                    // A browser that presents the device's credential belongs to the device from then on.
                    _ = try await signOn.signedIn(request, tenant)
                    let parameters = try request.queryParameters()
                    return try await ask(
                        request, tenant, typed: parameters[ParameterName.userCode] ?? parameters["otc"] ?? "")
                }
            }
        }
        let steps: [(String, Step)] = [
            ("", { try await typed($0) }), ("/login", { try await signIn($0) }), ("/answer", { try await answer($0) }),
        ]
        for (name, step) in steps {
            router.post("/{tenant}/oauth2/deviceauth\(name)") { request, context in
                try await shown(request, in: context) { try await take(request, context, tenant: $0, then: step) }
            }
        }
    }

    /// Reads a form, finds its code and continues.
    private func take(
        _ request: Request, _ context: IdentityContext, tenant: Tenant, then step: Step
    ) async throws -> Response {
        let form = try await request.form(limit: context.maxUploadSize)
        let typed = form[ParameterName.userCode] ?? form[Field.request] ?? ""
        guard let cookie = HostCookie.csrf.word(in: request), let field = form[Field.csrf],
            equalInConstantTime(Array(cookie.utf8), Array(field.utf8))
        else { return try await ask(request, tenant, typed: typed, alert: .staleForm) }
        let peer = context.client
        do {
            let throttle = UserCodeThrottle(
                database: database, environment: environment, storageKey: storageKey, tenant: tenant.id, peer: peer,
                session: HostCookie.session.value(in: request).flatMap(OpaqueToken.init))
            guard let found = try await throttle.find(typed) else {
                return try await ask(request, tenant, typed: "", alert: .wrongUserCode)
            }
            return try await step(
                FormSubmission(
                    request: request, tenant: tenant, form: form, peer: peer, browser: BrowserID(word: cookie),
                    code: found.code, record: found.record))
        } catch let error as OAuthError where error == .tooManyCodes {
            metrics.count(.userCode)
            return try await ask(request, tenant, typed: "", alert: error)
        }
    }

    /// Runs a route and turns refusals into an error page.
    private func shown(
        _ request: Request, in context: IdentityContext, _ route: (Tenant) async throws -> Response
    ) async throws -> Response {
        do {
            return try await route(try await directory.oneTenant(in: context))
        } catch let stale as BrowserSignOn.StaleNonce {
            return pages.redirect(to: stale.address, status: .found, in: Pages.setting(request))
        } catch let error as OAuthError {
            return pages.refusal(error, in: Pages.setting(request))
        }
    }

    private func typed(_ submission: FormSubmission) async throws -> Response {
        let client = try await name(of: submission.record)
        try await signIns.renew(submission.request)
        guard let (_, user) = try await present(submission) else {
            return try await signInPage(submission, client: client)
        }
        return try await question(submission, client: client, to: user)
    }

    /// Returns the person who is signed in on this browser, if they may approve the code without signing in again.
    func present(_ submission: FormSubmission) async throws -> (Session, User)? {
        guard let present = try await signedIn.present(submission.request, tenant: submission.tenant),
            submission.record.accepts(signInAt: present.0.begun, lifetime: lifetime, at: environment.now())
        else { return nil }
        return present
    }

    /// Returns the name of the waiting application.
    func name(of record: DeviceCode) async throws -> String {
        try await database.read { try Clients($0).usable(record.client, tenant: record.tenant).displayName }
    }

    func address(_ tenant: Tenant, _ step: String = "") -> String { "/\(tenant.id)\(Self.path)\(step)" }

    private func ask(
        _ request: Request, _ tenant: Tenant, typed: String, alert: OAuthError? = nil
    ) async throws -> Response {
        let known = HostCookie.csrf.word(in: request)
        let word = known ?? Base64URL.encode(environment.randomBytes(32))
        var response = pages.deviceCode(
            to: address(tenant), fields: [(Field.csrf.rawValue, word)],
            typed: UserCode(typed: typed)?.text ?? "", alert: alert,
            in: try await pages.setting(request, tenant: tenant))
        if known == nil { HostCookie.csrf.set(word, on: &response) }
        return response
    }

    func question(_ submission: FormSubmission, client: String, to user: User) async throws -> Response {
        pages.deviceQuestion(
            to: address(submission.tenant, "/answer"),
            fields: [
                (Field.csrf.rawValue, submission.form[Field.csrf] ?? ""),
                (ParameterName.userCode.rawValue, submission.code.text),
            ],
            client: client, person: user.userPrincipalName, code: submission.code.text,
            in: try await pages.setting(submission.request, tenant: submission.tenant))
    }
}
